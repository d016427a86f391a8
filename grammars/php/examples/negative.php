<p>use Not\Php; require 'x.php';</p>
<?php
// use Comment\A;
$text = "use Raw\\A;";
require $name;
$f = function () use ($name) { return $name; };
