#!/bin/bash
source lib/common.sh # EXPECT: local lib/common.sh
. "./env.sh" # EXPECT: local ./env.sh
if [ -f extra.sh ]; then
  . ./extra.sh # EXPECT: local ./extra.sh [[ -f extra.sh ]]
fi
test_it() { # EXPECT: test test_it ;; function test_it
  true
}
