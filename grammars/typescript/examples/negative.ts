// import x from "comment";
const text: string = `import y from "raw"`;
let z: number = 1;
