# Sums up coverage in the lcov format, without what coverage_exclusions.txt names.
#
#   awk -v root=FOLDER/ -f coverage.awk coverage_exclusions.txt reader.lcov

BEGIN { FS = " *[|] *"; least_lines = 97; least_branches = 95 }

# The exclusions: file | text of the line | reason.
FNR == NR {
  if ($0 ~ /^#/ || $0 == "") next
  ++exclusions
  excluded_file[exclusions] = $1
  excluded_text[exclusions] = $2
  next
}

function source_line(number,    text, n) {
  if (!(path in loaded)) {
    loaded[path] = 1
    while ((getline text < path) > 0) source[path, ++n] = text
    close(path)
  }
  return source[path, number]
}

# Whether what was not reached at a line is excluded.
function is_excluded(number,    e) {
  for (e = 1; e <= exclusions; ++e)
    if (name == excluded_file[e] && index(source_line(number), excluded_text[e]) > 0) {
      used[e] = 1
      return 1
    }
  return 0
}

function tell(number, what) {
  print "  " name ":" number ": " what ":" gensub_spaces(source_line(number))
}
function gensub_spaces(text) { sub(/^ */, " ", text); return text }

/^SF:/ { path = substr($0, 4); name = path; sub("^" root, "", name); lines = hit = branches = taken = 0 }
/^DA:/ {
  split(substr($0, 4), field, ",")
  if (field[2] > 0) { ++lines; ++hit }
  else if (!is_excluded(field[1])) { ++lines; tell(field[1], "line") }
}
/^BRDA:/ {
  split(substr($0, 6), field, ",")
  if (field[4] != "-" && field[4] > 0) { ++branches; ++taken }
  else if (!is_excluded(field[1])) { ++branches; tell(field[1], "branch " field[3]) }
}
/^end_of_record/ {
  printf "%-36s lines %4d of %4d  branches %4d of %4d\n", name, hit, lines, taken, branches
  all_lines += lines; all_hit += hit; all_branches += branches; all_taken += taken
}

END {
  for (e = 1; e <= exclusions; ++e)
    if (!(e in used)) print "reached after all: " excluded_file[e] " | " excluded_text[e]
  if (all_lines == 0 || all_branches == 0) { print "nothing was counted"; exit 1 }
  line_share = 100 * all_hit / all_lines
  branch_share = 100 * all_taken / all_branches
  printf "fuzz coverage_lines %.2f goal >= %d\nfuzz coverage_branches %.2f goal >= %d\n", line_share, least_lines, branch_share, least_branches
  exit !(line_share >= least_lines && branch_share >= least_branches)
}
