// const x = @import("comment");
const text =
    \\@import("raw")
;
const s = "@import(\"quoted\")";
