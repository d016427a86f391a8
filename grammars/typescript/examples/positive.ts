import type { A } from "types-a"; // EXPECT: import types-a
import b = require("b"); // EXPECT: import b
import { c } from "./c"; // EXPECT: local ./c
export interface Shape { area(): number } // EXPECT: type Shape
export type Id = string; // EXPECT: type Id
enum Colour { Red } // EXPECT: type Colour
export function draw(shape: Shape): void {} // EXPECT: function draw
test("draws", () => {}); // EXPECT: test "draws"
