; Methods with an attribute of xUnit, NUnit or MSTest.
((method_declaration (attribute_list (attribute name: (identifier) @_attribute)) name: (identifier) @test)
 (#any-of? @_attribute "Fact" "Theory" "Test" "TestCase" "TestMethod" "DataTestMethod"))
