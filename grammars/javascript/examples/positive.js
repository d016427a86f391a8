#!/usr/bin/env node
import React, { useState } from "react"; // EXPECT: import react
import './style.css'; // EXPECT: local ./style.css
export { x } from "@scope/pkg/sub"; // EXPECT: import @scope/pkg/sub
export * from "../own.js"; // EXPECT: local ../own.js
const fs = require('node:fs'); // EXPECT: import node:fs
const own = require('./own'); // EXPECT: local ./own
let canvas;
try {
  canvas = require("canvas"); // EXPECT: import canvas [try]
} catch (e) {
  canvas = require("./stub"); // EXPECT: local ./stub [catch]
}

function late() { // EXPECT: function late
  return import("chalk"); // EXPECT: import chalk [function late]
}
export class Widget { // EXPECT: type Widget
  draw() {} // EXPECT: function draw
}
export const arrow = () => 1; // EXPECT: function arrow

describe("things", () => {
  it("works", async () => {}); // EXPECT: test "works"
  test.only(`is ${1}`, () => {}); // EXPECT: test `is ${1}`
});

if (require.main === module) { // EXPECT: main ;; script
  late();
}
