module Lib where
-- import Comment.A
{- import Block.A -}
text = "import Raw.A"
maintain = 1
