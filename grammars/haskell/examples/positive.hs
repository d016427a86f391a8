module Main where

import Data.Aeson (ToJSON) -- EXPECT: import Data.Aeson
import qualified Data.Map.Strict as Map -- EXPECT: import Data.Map.Strict

data Shape = Circle | Square -- EXPECT: type Shape
newtype Id = Id Int -- EXPECT: type Id

spec = describe "things" $ do
  it "works" $ True -- EXPECT: test "works"

prop_small x = x < 3 -- EXPECT: test prop_small

main :: IO () -- EXPECT: function main
main = print 1 -- EXPECT: main
