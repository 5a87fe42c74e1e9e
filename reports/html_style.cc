// Light and dark, wide and narrow; see html_style.h.
//
// A mark's colours are two variables, so that a pale mark (some cases only) can be
// made of them.  The heads and all rows share one grid of columns, which keeps them in line.
// A card that is the target, or holds it, is taken out of the page and shown beside it.

#include "reports/html_style.h"

namespace gcts {

const std::string_view kHtmlStyle = R"css(
:root{--page:#fff;--ink:#1c2128;--dim:#57606a;--rule:#d8dee4;--soft:#f4f6f8;--link:#0b57c2;
--good:#d9f2e0;--good-ink:#0f5a2b;--free:#dce9fa;--free-ink:#1a4a86;--skip-ink:#8c959f;
--A:#f5a524;--A-ink:#3d2500;--R:#9d7be8;--R-ink:#1c0647;--W:#e5566f;--W-ink:#2b0009;--C:#a40e26;--C-ink:#fff;
--T:#8f4700;--T-ink:#fff;--M:#7d1d6f;--M-ink:#fff;--U:#aab4be;--U-ink:#16202a;--P:#2f3b47;--P-ink:#fff;--Q:#e4e8ec;--Q-ink:#3c4650;--L:#f3e58a;--L-ink:#4a4000}
@media (prefers-color-scheme:dark){:root{--page:#0f1318;--ink:#e3e8ee;--dim:#98a4b0;--rule:#2b333c;--soft:#181e25;--link:#7ab4ff;
--good:#12351f;--good-ink:#8fdcaa;--free:#152d4a;--free-ink:#9cc5f7;--skip-ink:#66717d;
--A:#d98a00;--A-ink:#1f1200;--R:#a98df0;--R-ink:#150236;--W:#f06a82;--W-ink:#2b0009;--C:#d3203c;--C-ink:#fff;
--T:#b35c0a;--T-ink:#fff;--M:#a83597;--M-ink:#fff;--U:#76828e;--U-ink:#0b1117;--P:#cdd6df;--P-ink:#10161c;--Q:#323b45;--Q-ink:#d5dce3;--L:#6b5f10;--L-ink:#fbf3bd}}
*{box-sizing:border-box}
html{scroll-padding-top:10rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
--name:20rem;--cell:2.25rem}
header,main,footer{max-width:calc(var(--name) + var(--n)*var(--cell) + 3rem);min-width:min(100%,60rem);width:fit-content;margin:0 auto;padding:0 1.5rem}
header{padding-top:2.5rem}
h1{font-size:2rem;line-height:1.15;letter-spacing:-.02em;margin:0 0 .5rem}
h2{font-size:1.25rem;letter-spacing:-.01em;margin:3rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.75rem 0 .4rem}
h4{font-size:.95rem;margin:0;font-weight:600}
p{margin:.35rem 0}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
code,pre{font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{overflow-wrap:anywhere}
.lede{font-size:1.1rem;color:var(--dim);margin:0 0 1.25rem}
.void{background:var(--C);color:var(--C-ink);padding:.75rem 1rem;border-radius:.5rem;overflow-wrap:anywhere}
.facts{list-style:none;display:flex;flex-wrap:wrap;gap:.6rem 1.75rem;margin:0 0 1rem;padding:0}
.facts li{font-size:.9rem;overflow-wrap:anywhere;min-width:0}
.facts small{display:block;font-size:.75rem;color:var(--dim)}
.line{background:var(--soft);border:1px solid var(--rule);border-radius:.4rem;padding:.45rem .65rem;margin:.4rem 0;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all;-webkit-user-select:all}
.who{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));gap:1.1rem 2.25rem}
.who li{display:grid;align-content:start;grid-template-columns:1fr auto;column-gap:1rem;border-radius:.4rem}
.who .name{overflow-wrap:anywhere;color:var(--dim)}
.who .name b{color:var(--ink)}
.who .share{font-variant-numeric:tabular-nums;font-weight:600}
.who p{grid-column:1/-1;font-size:.8125rem;color:var(--dim);margin:.15rem 0 0}
.fatal{color:var(--C);font-weight:600}
.bar{grid-column:1/-1;display:flex;height:.6rem;border-radius:.3rem;overflow:hidden;background:var(--rule);gap:1px;margin-top:.15rem}
.bar i{background:var(--b);min-width:2px}
.bar .right{--b:#3fae67}
.absent{margin:0;padding-left:1.1rem;font-size:.9rem;color:var(--dim)}
.legend{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:.35rem 1.5rem;font-size:.875rem}
.legend li{display:grid;grid-template-columns:1.9rem 1fr;gap:.6rem;align-items:center}
.legend+p{font-size:.875rem;color:var(--dim);margin-top:.75rem}
.mark{display:flex;align-items:center;justify-content:center;height:1.6rem;min-width:1.6rem;border-radius:.3rem;background:var(--b);color:var(--f);font:600 .875rem/1 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.accepts,.rejects,.right{--b:var(--good);--f:var(--good-ink)}
.free{--b:var(--free);--f:var(--free-ink)}
.accepts_invalid{--b:var(--A);--f:var(--A-ink)}
.rejects_valid{--b:var(--R);--f:var(--R-ink)}
.wrong{--b:var(--W);--f:var(--W-ink)}
.crash{--b:var(--C);--f:var(--C-ink)}
.timeout{--b:var(--T);--f:var(--T-ink)}
.memory{--b:var(--M);--f:var(--M-ink)}
.unsupported{--b:var(--U);--f:var(--U-ink)}
.protocol{--b:var(--P);--f:var(--P-ink)}
.unproven{--b:var(--Q);--f:var(--Q-ink)}
.lint{--b:var(--L);--f:var(--L-ink)}
.skip{--b:transparent;--f:var(--skip-ink)}
.some{background:color-mix(in srgb,var(--b) 38%,var(--page));color:var(--ink);box-shadow:inset 0 0 0 1.5px var(--b)}
nav{display:flex;flex-wrap:wrap;gap:.15rem .9rem;font-size:.875rem;margin-bottom:.5rem}
.heads,.matrix tr{display:grid;grid-template-columns:var(--name) repeat(var(--n),var(--cell));align-items:center}
.heads{position:sticky;top:0;z-index:1;background:var(--page);border-bottom:1px solid var(--rule);align-items:end;padding:.35rem 0}
.heads a{color:var(--ink);font-size:.8125rem;font-weight:600;height:9rem;display:flex;align-items:center;justify-content:flex-start;writing-mode:vertical-rl;transform:rotate(180deg)}
.heads a span{max-height:9rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.matrix table,.matrix tbody{display:block}
.matrix tr{border-radius:.3rem}
.matrix tr:hover{background:var(--soft)}
.matrix th{text-align:left;font-weight:400;font-size:.8125rem;padding:.1rem .5rem .1rem .25rem;overflow-wrap:anywhere;line-height:1.3}
.matrix th a{color:var(--ink)}
.matrix small{color:var(--dim);font-variant-numeric:tabular-nums}
.matrix td{padding:1px}
.matrix td .mark:hover{outline:2px solid var(--link);text-decoration:none}
summary{cursor:pointer;color:var(--dim);font-size:.8125rem;padding:.3rem .25rem}
summary:hover{color:var(--ink)}
.card{position:relative;border:1px solid var(--rule);border-radius:.6rem;padding:1rem 1.25rem;margin:0 0 1rem;max-width:52rem;background:var(--page);overflow-wrap:anywhere}
.card h3{margin:0;font:600 1.05rem/1.3 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.tags span{display:inline-block;background:var(--soft);border:1px solid var(--rule);border-radius:1rem;padding:0 .6rem;font-size:.75rem;color:var(--dim)}
.card p{font-size:.9rem}
.card .statement{font-size:1rem}
.cell{border-top:1px solid var(--rule);padding:.65rem 0 .25rem}
.cell h4{display:flex;align-items:center;gap:.6rem}
.cell p{color:var(--dim);font-size:.8125rem}
.cell ul{margin:.25rem 0;padding-left:1.1rem;font-size:.8125rem}
.close{display:none}
#none{position:fixed;top:0}
.veil{display:none}
@supports selector(:has(a)){
.card:target,.card:has(:target){position:fixed;z-index:3;top:0;right:0;bottom:0;width:min(100vw,44rem);max-width:none;margin:0;border:0;border-left:1px solid var(--rule);border-radius:0;overflow:auto;overscroll-behavior:contain;padding:0 1.75rem 4rem;box-shadow:0 0 3rem rgba(0,0,0,.35)}
.card:target h3,.card:has(:target) h3{position:sticky;top:0;z-index:1;background:var(--page);margin:0 -1.75rem .5rem;padding:.9rem 5rem .6rem 1.75rem}
.card:target .close,.card:has(:target) .close{display:flex;position:sticky;top:.5rem;float:right;margin:.5rem 0 -2.75rem;width:2.25rem;height:2.25rem;align-items:center;justify-content:center;border-radius:50%;background:var(--soft);border:1px solid var(--rule);color:var(--ink);font-size:1.35rem;line-height:1;z-index:2}
.card .cell:target{scroll-margin-top:3rem;background:var(--soft);margin:0 -1.75rem;padding-left:1.75rem;padding-right:1.75rem}
body:has(.card:target) .veil,body:has(.card :target) .veil{display:block;position:fixed;inset:0;z-index:2;background:rgba(0,0,0,.35)}
}
.who li:target{box-shadow:0 0 0 .5rem var(--soft);background:var(--soft)}
footer{color:var(--dim);font-size:.8125rem;padding-top:2rem;padding-bottom:3rem}
@media print{.heads{position:static}.veil,.close{display:none!important}.card{position:static!important;break-inside:avoid;box-shadow:none!important}}
)css";

const std::string_view kHtmlNarrowStyle =
    "body{font-size:15px}header,main,footer{padding-left:1rem;padding-right:1rem;max-width:100%;width:auto}h1{font-size:1.6rem}"
    ".heads,.matrix tr{grid-template-columns:repeat(var(--n),minmax(0,1fr))}.heads>span{display:none}.heads a{height:8rem;justify-self:center;font-size:.75rem}"
    ".heads a span{max-height:8rem}.matrix th{grid-column:1/-1;padding:.35rem 0 .1rem}.matrix td .mark{min-width:0;height:1.75rem;font-size:.8125rem}"
    ".card:target,.card:has(:target){top:auto;left:0;width:100%;max-height:85vh;border-radius:1rem 1rem 0 0;border-left:0;padding:0 1rem 3rem}"
    ".card:target h3,.card:has(:target) h3{margin:0 -1rem .5rem;padding:.9rem 4rem .6rem 1rem}"
    ".card .cell:target{margin:0 -1rem;padding-left:1rem;padding-right:1rem}html{scroll-padding-top:9rem}";

}  // namespace gcts
