require "json" # EXPECT: import json
require 'nokogiri/xml' # EXPECT: import nokogiri/xml
require_relative "../lib/own" # EXPECT: local ../lib/own
begin
  require "bootsnap" # EXPECT: import bootsnap [begin]
rescue LoadError
  nil
end
require "win32ole" if Gem.win_platform? # EXPECT: import win32ole [if Gem.win_platform?]

module Tool # EXPECT: type Tool
  class Thing # EXPECT: type Thing
    def self.build # EXPECT: function build
    end

    def test_adds # EXPECT: test test_adds ;; function test_adds
      require "late" # EXPECT: import late [def test_adds]
    end
  end
end

describe "Thing" do
  it "works" do # EXPECT: test "works"
  end
end

if __FILE__ == $0 # EXPECT: main ;; script
  Tool::Thing.build
end
