# Prints the Test Anything Protocol.
echo 1..2
n=0
check() {
	n=$((n + 1))
	if [ "$(printf "$1" | ./words)" = "$2" ]; then echo "ok $n - $3"; else echo "not ok $n - $3"; bad=1; fi
}
check 'one two\nthree' 3 'words on two lines'
check '' 0 'nothing'
exit ${bad:-0}
