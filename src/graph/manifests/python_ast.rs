//! Literal values in Python source, by its syntax tree: what `setup.py` and `noxfile.py` say without being run.

use std::collections::BTreeMap;

use tree_sitter::{Node, Parser};

/// Bytes of source that are parsed; longer files are data.
const MAX_SOURCE: usize = 1 << 20;
const MAX_DEPTH: u8 = 24;
const MAX_ITEMS: usize = 5000;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String, u32),
    List(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// Anything that running the code would tell.
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The last name of what is called: `Extension` for `setuptools.Extension`.
    pub name: String,
    /// What stands before it, `session` for `session.install`.
    pub object: String,
    pub args: Vec<Value>,
    pub keywords: Vec<(String, Value, u32)>,
    pub line: u32,
    /// Name of the function whose body it stands in; empty at the top.
    pub function: String,
}

#[derive(Debug, Default)]
pub struct Module {
    pub calls: Vec<Call>,
    /// Every string literal.
    pub texts: Vec<(String, u32)>,
    /// Modules named by `import` and `from`.
    pub imports: Vec<(String, u32)>,
}

pub fn parse(text: &str) -> Module {
    let mut module = Module::default();
    let mut parser = Parser::new();
    if text.len() > MAX_SOURCE
        || parser
            .set_language(&tree_sitter_python::LANGUAGE.into())
            .is_err()
    {
        return module;
    }
    let Some(tree) = parser.parse(text, None) else {
        return module;
    };
    let mut reader = Reader {
        text,
        names: BTreeMap::new(),
    };
    walk(tree.root_node(), |node, function| {
        reader.visit(node, function, &mut module)
    });
    module
}

/// Visits every node in source order without recursion, with the name of the innermost function.
fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, &[(usize, Node<'t>)])) {
    let mut cursor = root.walk();
    let mut functions: Vec<(usize, Node<'t>)> = Vec::new();
    loop {
        let node = cursor.node();
        functions.retain(|(end, _)| *end > node.start_byte());
        if node.kind() == "function_definition" {
            functions.push((node.end_byte(), node));
        }
        visit(node, &functions);
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

struct Reader<'s> {
    text: &'s str,
    /// Values of simple names, as assigned so far.
    names: BTreeMap<String, Value>,
}

fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1
}

impl<'s> Reader<'s> {
    fn source(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn visit(&mut self, node: Node<'_>, functions: &[(usize, Node<'_>)], module: &mut Module) {
        match node.kind() {
            "assignment" => self.assign(node),
            "augmented_assignment" => self.extend(node),
            "call" if module.calls.len() < MAX_ITEMS => {
                let name = functions
                    .last()
                    .and_then(|(_, f)| f.child_by_field_name("name"));
                let function = name.map_or("", |name| self.source(name)).to_owned();
                module.calls.extend(self.call(node, function));
            }
            "string" if module.texts.len() < MAX_ITEMS => {
                if let Value::Text(text, line) = self.string(node) {
                    module.texts.push((text, line));
                }
            }
            "import_statement" | "import_from_statement" if module.imports.len() < MAX_ITEMS => {
                let field = if node.kind() == "import_statement" {
                    "name"
                } else {
                    "module_name"
                };
                if let Some(name) = node.child_by_field_name(field) {
                    module
                        .imports
                        .push((self.source(name).to_owned(), line(node)));
                }
            }
            _ => {}
        }
    }

    fn assign(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("right"),
        ) else {
            return;
        };
        match left.kind() {
            "identifier" if self.names.len() < MAX_ITEMS => {
                let value = self.value(right, 0);
                self.names.insert(self.source(left).to_owned(), value);
            }
            // `extras['test'] = […]`
            "subscript" => {
                let (Some(object), Some(key)) = (
                    left.child_by_field_name("value"),
                    left.child_by_field_name("subscript"),
                ) else {
                    return;
                };
                let (key, value) = (self.value(key, 0), self.value(right, 0));
                if let Some(Value::Dict(entries)) = self.names.get_mut(self.source(object)) {
                    entries.push((key, value));
                }
            }
            _ => {}
        }
    }

    fn extend(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("right"),
        ) else {
            return;
        };
        let more = self.value(right, 0);
        if let (Some(Value::List(items)), Value::List(more)) =
            (self.names.get_mut(self.source(left)), more)
            && items.len() + more.len() < MAX_ITEMS
        {
            items.extend(more);
        }
    }

    fn call(&self, node: Node<'_>, function: String) -> Option<Call> {
        let target = node.child_by_field_name("function")?;
        let (object, name) = match target.kind() {
            "identifier" => ("", self.source(target)),
            "attribute" => (
                target
                    .child_by_field_name("object")
                    .map_or("", |object| self.source(object)),
                target
                    .child_by_field_name("attribute")
                    .map_or("", |name| self.source(name)),
            ),
            _ => return None,
        };
        let mut call = Call {
            name: name.to_owned(),
            object: object.chars().take(100).collect(),
            args: Vec::new(),
            keywords: Vec::new(),
            line: line(node),
            function,
        };
        let list = node.child_by_field_name("arguments")?;
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor).take(MAX_ITEMS) {
            match argument.kind() {
                "keyword_argument" => {
                    let key = argument
                        .child_by_field_name("name")
                        .map_or("", |key| self.source(key));
                    let value = argument
                        .child_by_field_name("value")
                        .map_or(Value::Unknown, |value| self.value(value, 0));
                    call.keywords.push((key.to_owned(), value, line(argument)));
                }
                // `setup(**config)`
                "dictionary_splat" => {
                    let inner = argument
                        .named_child(0)
                        .map_or(Value::Unknown, |inner| self.value(inner, 0));
                    if let Value::Dict(entries) = inner {
                        call.keywords.extend(entries.into_iter().filter_map(
                            |(key, value)| match key {
                                Value::Text(key, line) => Some((key, value, line)),
                                _ => None,
                            },
                        ));
                    }
                }
                "list_splat" => match argument
                    .named_child(0)
                    .map_or(Value::Unknown, |inner| self.value(inner, 0))
                {
                    Value::List(items) => call.args.extend(items),
                    _ => call.args.push(Value::Unknown),
                },
                "comment" => {}
                _ => call.args.push(self.value(argument, 0)),
            }
        }
        Some(call)
    }

    fn value(&self, node: Node<'_>, depth: u8) -> Value {
        if depth > MAX_DEPTH {
            return Value::Unknown;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node
            .named_children(&mut cursor)
            .filter(|child| child.kind() != "comment")
            .take(MAX_ITEMS)
            .collect();
        match node.kind() {
            "string" => self.string(node),
            "concatenated_string" => children
                .iter()
                .fold(Value::Text(String::new(), line(node)), |sum, child| {
                    plus(sum, self.string(*child))
                }),
            "list" | "tuple" | "set" => Value::List(
                children
                    .iter()
                    .map(|child| self.value(*child, depth + 1))
                    .collect(),
            ),
            "parenthesized_expression" => children
                .first()
                .map_or(Value::Unknown, |child| self.value(*child, depth + 1)),
            "dictionary" => Value::Dict(
                children
                    .iter()
                    .filter_map(|pair| self.pair(*pair, depth + 1))
                    .collect(),
            ),
            "identifier" => self
                .names
                .get(self.source(node))
                .cloned()
                .unwrap_or(Value::Unknown),
            "binary_operator" if self.operator(node) == "+" => {
                let side = |field| {
                    node.child_by_field_name(field)
                        .map_or(Value::Unknown, |side| self.value(side, depth + 1))
                };
                plus(side("left"), side("right"))
            }
            "call" => self.known_call(node, depth + 1),
            _ => Value::Unknown,
        }
    }

    fn operator(&self, node: Node<'_>) -> &'s str {
        node.child_by_field_name("operator")
            .map_or("", |operator| self.source(operator))
    }

    fn pair(&self, pair: Node<'_>, depth: u8) -> Option<(Value, Value)> {
        let key = pair.child_by_field_name("key")?;
        let value = pair.child_by_field_name("value")?;
        Some((self.value(key, depth), self.value(value, depth)))
    }

    /// `dict(a=…)`: the one call whose result is its text.
    fn known_call(&self, node: Node<'_>, depth: u8) -> Value {
        let name = node
            .child_by_field_name("function")
            .map_or("", |name| self.source(name));
        let Some(list) = node
            .child_by_field_name("arguments")
            .filter(|_| name == "dict")
        else {
            return Value::Unknown;
        };
        let mut cursor = list.walk();
        let pairs = list
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "keyword_argument");
        Value::Dict(
            pairs
                .filter_map(|pair| {
                    let key = pair.child_by_field_name("name")?;
                    let value = pair.child_by_field_name("value")?;
                    Some((
                        Value::Text(self.source(key).to_owned(), line(key)),
                        self.value(value, depth),
                    ))
                })
                .collect(),
        )
    }

    fn string(&self, node: Node<'_>) -> Value {
        let mut text = String::new();
        let mut cursor = node.walk();
        let mut raw = false;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "string_start" => raw = self.source(child).to_ascii_lowercase().contains('r'),
                "string_content" => text.push_str(&unescape(self.source(child), raw)),
                "interpolation" => return Value::Unknown,
                _ => {}
            }
        }
        Value::Text(text, line(node))
    }
}

fn unescape(text: &str, raw: bool) -> String {
    if raw || !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('\n') | None => {}
                Some(other) => out.push(other),
            },
        }
    }
    out
}

fn plus(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Text(a, line), Value::Text(b, _)) if a.len() + b.len() < MAX_SOURCE => {
            Value::Text(a + &b, line)
        }
        (Value::List(mut a), Value::List(b)) if a.len() + b.len() < MAX_ITEMS => {
            a.extend(b);
            Value::List(a)
        }
        // A list with something unknown added is still that list.
        (Value::List(a), Value::Unknown) | (Value::Unknown, Value::List(a)) => Value::List(a),
        _ => Value::Unknown,
    }
}

impl Value {
    /// The strings of a list, or the one string, each with its line.
    pub fn texts(&self) -> Vec<(&str, u32)> {
        match self {
            Self::Text(text, line) => vec![(text.as_str(), *line)],
            Self::List(items) => items
                .iter()
                .filter_map(|item| match item {
                    Self::Text(text, line) => Some((text.as_str(), *line)),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl Call {
    pub fn keyword(&self, name: &str) -> Option<&Value> {
        self.keywords
            .iter()
            .find(|(key, ..)| key == name)
            .map(|(_, value, _)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_names_and_sums() {
        let module = parse(
            "import os\nreqs = ['a'] + ['b' 'c', x]\nreqs += ['d']\nE = {}\nE['t'] = reqs\nm.f(reqs, k=E, **dict(z='1'))\n",
        );
        let call = module.calls.iter().find(|call| call.name == "f").unwrap();
        assert_eq!(call.args[0].texts(), [("a", 2), ("bc", 2), ("d", 3)]);
        assert_eq!(call.keyword("z").unwrap().texts(), [("1", 6)]);
        assert!(matches!(call.keyword("k"), Some(Value::Dict(entries)) if entries.len() == 1));
        assert_eq!((call.object.as_str(), call.line), ("m", 6));
    }

    #[test]
    fn deep_nesting_is_survived() {
        parse(&format!("x = {}", "[".repeat(20_000)));
        parse(&format!(
            "x = {}1{}",
            "(".repeat(20_000),
            ")".repeat(20_000)
        ));
        parse(&format!("x = {}'a'", "'a' + ".repeat(20_000)));
        parse(&"a = a + a\n".repeat(2000));
        parse(&format!("a = ['x']\n{}", "a = a + a\n".repeat(60)));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn arbitrary_text_never_panics(text in "(\\PC|[\\[\\](){}'\"=+\n ]){0,150}") {
            parse(&text);
        }
    }
}
