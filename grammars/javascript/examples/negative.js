// import x from "comment";
const text = `import y from "raw"; require("raw")`;
require(name);
submit("not a test", 1);
/test("x")/.test("y");
