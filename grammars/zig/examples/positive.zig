const std = @import("std");
const own = @import("own.zig"); // EXPECT: local own.zig
const clap = @import("clap"); // EXPECT: import clap
const c = @cImport({
    @cInclude("zlib.h"); // EXPECT: import zlib.h
});

pub const Shape = struct { // EXPECT: type Shape
    pub fn area() u32 { // EXPECT: function area
        return 1;
    }
};

test "adds" { // EXPECT: test "adds"
    try std.testing.expect(true);
}

pub fn main() !void {} // EXPECT: main ;; function main
