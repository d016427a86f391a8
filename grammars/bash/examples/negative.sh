# source comment.sh
source "$DIR/lib.sh"
echo source file.sh
cat <<END
source here.sh
END
