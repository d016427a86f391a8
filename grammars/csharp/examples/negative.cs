// using Comment;
/* using Block; */
var text = @"
using Raw;
";
