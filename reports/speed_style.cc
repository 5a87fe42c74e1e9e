// The style sheet of the hardware report, light and dark, wide, narrow and on paper.

#include "reports/speed_page.h"

namespace gcts {

const std::string_view kSpeedStyle = R"css(
:root{--page:#fff;--ink:#1c2128;--dim:#57606a;--rule:#d8dee4;--soft:#f4f6f8;--link:#0b57c2;--heat:#0f7b6c;--bad:#a40e26;--bad-soft:#fbe9ec;
--c1:#0b6bcb;--c2:#e07b00;--c3:#12856b;--c4:#9b3fb5;--c5:#c2335a;--c6:#6b7a1e;--c7:#5a5fd6;--c8:#8a5a2b}
@media (prefers-color-scheme:dark){:root{--page:#0f1318;--ink:#e3e8ee;--dim:#98a4b0;--rule:#2b333c;--soft:#181e25;--link:#7ab4ff;--heat:#2bb39b;--bad:#f06a82;--bad-soft:#2b1218;
--c1:#5aa9f5;--c2:#f2a33c;--c3:#3fc7a4;--c4:#cf82e6;--c5:#f0708f;--c6:#b3c34b;--c7:#9a9df5;--c8:#cf9b68}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main,footer{max-width:68rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2.75rem}
h1{font-size:2.1rem;line-height:1.15;letter-spacing:-.02em;margin:0 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.3rem;letter-spacing:-.01em;margin:3rem 0 .5rem;padding-top:.9rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.75rem 0 .3rem}
p{margin:.45rem 0;max-width:46rem}
a{color:var(--link);text-decoration:none}
.lede{font-size:1.1rem;color:var(--dim);margin:0 0 1rem}
.note{font-size:.875rem;color:var(--dim)}
.void{background:var(--bad-soft);color:var(--bad);border-left:.25rem solid var(--bad);padding:.7rem 1rem;border-radius:.3rem;overflow-wrap:anywhere}
.words{font-size:1.125rem}
.words b{font-weight:650}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr));gap:.9rem;margin:1.25rem 0;padding:0;list-style:none}
.tiles li{background:var(--soft);border:1px solid var(--rule);border-radius:.6rem;padding:.8rem 1rem}
.tiles b{display:block;font-size:1.55rem;line-height:1.2;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.tiles span{font-size:.8125rem;color:var(--dim)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:.6rem 1.75rem;margin:.5rem 0 1rem;padding:0;list-style:none}
.facts li{font-size:.9rem;overflow-wrap:anywhere}
.facts small{display:block;font-size:.75rem;color:var(--dim)}
.line{background:var(--soft);border:1px solid var(--rule);border-radius:.4rem;padding:.45rem .65rem;font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.28rem .65rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
thead th{font-weight:600;color:var(--dim);font-size:.8125rem;vertical-align:bottom}
tbody th{text-align:left;font-weight:500}
td.l,th.l{text-align:left}
tbody tr:hover td,tbody tr:hover th{background:var(--soft)}
td.best{font-weight:650}
td small{color:var(--dim)}
.numbers th:first-child,.numbers :is(td,th):is(:nth-child(2),:nth-child(8)){text-align:left}
.numbers td:is(:nth-child(4),:nth-child(5)){font-size:.75rem;color:var(--dim)}
.numbers td:nth-child(6){font-weight:650}
.bar{display:block;width:100%;min-width:9rem;height:.7rem;border-radius:.35rem;background:var(--rule);overflow:hidden}
.bar i{display:block;height:100%;background:var(--heat)}
.tokens{width:100%}
.tokens td:last-child{width:30%}
.heat td{padding:1px;border:0;text-align:center}
.heat thead th{padding:.2rem .3rem;border:0;height:9.5rem}
.heat thead span{display:inline-block;writing-mode:vertical-rl;transform:rotate(180deg);text-align:left}
.few thead th{height:auto;width:9rem;white-space:normal;text-align:center}
.few thead span{writing-mode:horizontal-tb;transform:none;text-align:center}
.heat tbody th{border:0;padding:.1rem .75rem .1rem 0}
.heat i{display:block;font-style:normal;min-width:2.9rem;padding:.22rem .3rem;border-radius:.25rem;background:color-mix(in srgb,var(--heat) calc(var(--s)*1%),var(--soft));font-size:.8125rem}
.heat i.high{color:#fff}
.heat i.none{color:var(--dim)}
.heat i.bad{background:var(--bad-soft);color:var(--bad);font-weight:600}
@media (prefers-color-scheme:dark){.heat i.high{color:#06120f}}
figure{margin:1rem 0 1.75rem}
figcaption{font-size:.9375rem;font-weight:600;margin-bottom:.25rem}
figcaption small{font-weight:400;color:var(--dim)}
.chart{display:block;width:100%;height:auto;min-width:40rem;max-height:34rem;color:var(--ink)}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--link);font-size:.9375rem;padding:.2rem 0}
.slower{color:var(--bad);font-weight:600}
.faster{color:var(--heat);font-weight:600}
ul.bad{padding-left:1.1rem;font-size:.875rem}
ul.bad code{font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
footer{color:var(--dim);font-size:.8125rem;padding-top:2.5rem;padding-bottom:3rem}
@media (max-width:40rem){body{font-size:15px}header,main,footer{padding:0 1rem}header{padding-top:1.75rem}h1{font-size:1.6rem}.words{font-size:1.05rem}
.tokens td:last-child,.tokens th:last-child{display:none}th,td{padding:.25rem .45rem}}
@media print{:root{--page:#fff;--ink:#000;--dim:#444;--rule:#bbb;--soft:#f2f2f2;--heat:#0f7b6c;--bad:#a40e26;--bad-soft:#fbe9ec}
body{font-size:10pt}header,main,footer{max-width:none;padding:0}h2{break-after:avoid}figure,table,.tiles{break-inside:avoid}.wide{overflow:visible}.chart{min-width:0}
details::details-content{display:block;content-visibility:visible}summary{display:none}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)css";

}  // namespace gcts
