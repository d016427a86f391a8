local json = require "cjson" -- EXPECT: import cjson
local lfs = require("lfs") -- EXPECT: import lfs
local ok, zlib = pcall(require, "zlib") -- EXPECT: import zlib [pcall]
dofile("own.lua") -- EXPECT: local own.lua
function M.area(x) -- EXPECT: function area
  return require("late") -- EXPECT: import late [function M.area]
end
describe("things", function()
  it("works", function() end) -- EXPECT: test "works"
end)
function test_adds() end -- EXPECT: test test_adds ;; function test_adds
