# Files in order: neutral packages, the archive's binaries, then one line a package: its name, section, build systems,
# milliseconds of the answer and directory, where `build-depends` (the field) and `ours` (package, group, reasons) stand.
# Variables: packaging, documentation (patterns).

FILENAME != last { file++; last = FILENAME }

file == 1 { neutral[$1] = 1; next }

file == 2 {
	if ($1 == "provides") { provided[$2, $3] = 1; virtual[$2] = virtual[$2] " " $3 }
	else { depends[$2, $3] = 1; count[$2]++; list[$2] = list[$2] " " $3 }
	next
}

file == 3 { compare($1, $2, $3, $4, $5) }

# The name without version digits: `libboost1.74-dev` and `libboost-dev` are one family.
function family(name) { gsub(/[0-9.]+/, "", name); gsub(/--+/, "-", name); sub(/-$/, "", name); return name }

# Whether to ask for one package is to ask for the other: the same, a provider, or a package that only points to it.
function stands(a, b) {
	if (a == b || ((a, b) in provided) || ((b, a) in provided)) return 1
	return points(a, b) || points(b, a) || same_virtual(a, b)
}
# Two development packages that provide one and the same virtual package are alternatives (builds of one library).
function same_virtual(a, b, i, n, names) {
	if (a !~ /-dev$/ || b !~ /-dev$/) return 0
	n = split(virtual[a], names, " ")
	for (i = 1; i <= n; i++) if ((b, names[i]) in provided) return 1
	return 0
}
function points(a, b) {
	if (!((a, b) in depends)) return 0
	return family(a) == family(b) || count[a] <= 2 && a ~ /-dev$/ && b ~ /-dev$/ || a ~ /^(default|lib.*-all-dev|xorg-dev|mesa-common-dev|libgl1-mesa-dev|libglu1-mesa-dev)/ || b ~ a "-(minimal|headless|base|bin)$"
}
# Whether installing `a` brings `b`, in up to four steps.
function brings(a, b) {
	if (!(a in closed)) close_over(a, a, 0)
	return (a, b) in closure
}
function close_over(root, at, depth, i, n, parts) {
	closed[root] = 1
	if ((root, at) in closure || depth > 4) return
	closure[root, at] = 1
	n = split(list[at], parts, " ")
	for (i = 1; i <= n; i++) if (parts[i] != "") close_over(root, parts[i], depth + 1)
}

function compare(name, section, systems, ms, out, field, line, parts, verdict) {
	delete ours; delete why; delete apart; delete asked; delete seen; delete right
	wanted = found = covered = given = rightly = installed = 0
	misses = wrong = ""
	verdict = out "/verdict"
	field = ""
	while ((getline line < (out "/build-depends")) > 0) field = line
	close(out "/build-depends")
	while ((getline line < (out "/ours")) > 0) { split(line, parts, "\t"); ours[parts[1]] = parts[2]; why[parts[1]] = parts[3] }
	close(out "/ours")
	printf "" > verdict
	judge_wanted(field, verdict)
	judge_given(verdict)
	close(verdict)
	printf "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", name, section, systems, wanted, found, given, rightly, installed, covered, ms, substr(misses, 2), substr(wrong, 2)
}

function judge_wanted(field, verdict, n, i, groups) {
	n = split(field, groups, ",")
	for (i = 1; i <= n; i++) judge_group(groups[i], verdict)
}

function judge_group(group, verdict, j, m, any, skip, hit, covers, p) {
	gsub(/\([^)]*\)/, "", group)
	# Another architecture's need, or one of a profile that is off by default (stage1, cross).
	if (group ~ /\[[^\]!]*\]/ && group !~ /\[[^\]]*(amd64|linux-any|any-any)[^\]]*\]/) return
	if (group ~ /\[[^\]]*!(amd64|linux-any)[^\]]*\]/) return
	gsub(/\[[^\]]*\]/, "", group)
	if (group ~ /<[a-z]/ && group !~ /<!/) return
	gsub(/<[^>]*>/, "", group)
	gsub(/:(native|any)/, "", group)
	gsub(/[ \t]+/, "", group)
	if (group == "" || group in seen) return
	seen[group] = 1
	m = split(group, any, "|")
	for (j = 1; j <= m; j++) {
		asked[any[j]] = 1
		if (any[j] ~ packaging) skip = "packaging"
		else if (any[j] ~ documentation) skip = "documentation"
		else if (any[j] in neutral) skip = "implied"
	}
	if (skip != "") { print skip "\t" group > verdict; return }
	wanted++
	for (p in ours) for (j = 1; j <= m; j++) {
		if (stands(p, any[j])) { hit = p; right[p] = 1 }
		else if (hit == "" && brings(p, any[j])) covers = p
	}
	if (hit != "") { found++; covered++; print "found\t" group "\t" hit "\t" ours[hit] > verdict; return }
	misses = misses " " group
	if (covers != "") { covered++; print "brought\t" group "\t" covers > verdict }
	else print "MISSED\t" group > verdict
}

function judge_given(verdict, p, a, by) {
	for (p in ours) {
		if (p in right) { given++; rightly++; installed++; continue }
		if (p in neutral || p ~ packaging || p ~ documentation) { print "aside\t" p "\t" why[p] > verdict; continue }
		given++
		by = ""
		for (a in asked) if (brings(a, p)) by = a
		if (by != "") { installed++; print "installed\t" p "\t" ours[p] "\tby " by "\t" why[p] > verdict }
		else { wrong = wrong " " p; print "WRONG\t" p "\t" ours[p] "\t" why[p] > verdict }
	}
}
