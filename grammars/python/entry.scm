; `if __name__ == "__main__":`
((if_statement
  condition: (comparison_operator . (identifier) @_name (string (string_content) @_text))) @main @script
 (#eq? @_name "__name__")
 (#eq? @_text "__main__"))
