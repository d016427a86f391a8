<?php
namespace App;

use Monolog\Logger; // EXPECT: import Monolog\Logger
use PHPUnit\Framework\TestCase as Base; // EXPECT: import PHPUnit\Framework\TestCase
require_once __DIR__ . '/own.php'; // EXPECT: local /own.php
include 'other.php'; // EXPECT: local other.php

interface Shape {} // EXPECT: type Shape
class ThingTest extends Base // EXPECT: type ThingTest
{
    public function testAdds(): void {} // EXPECT: test testAdds ;; function testAdds
    #[Test]
    public function it_works(): void {} // EXPECT: test it_works ;; function it_works
}
function helper() {} // EXPECT: function helper
it('is pest', function () {}); // EXPECT: test 'is pest'
