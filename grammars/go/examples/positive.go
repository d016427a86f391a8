//go:build linux

package main

import "fmt" // EXPECT: import fmt [linux]
import (
	sql "database/sql" // EXPECT: import database/sql [linux]
	_ "github.com/lib/pq" // EXPECT: import github.com/lib/pq [linux]
	`example.org/raw` // EXPECT: import example.org/raw [linux]
)

type Config struct{ Path string } // EXPECT: type Config

func (c Config) Open() error { return nil } // EXPECT: function Open

func TestOpen(t *testing.T) {} // EXPECT: test TestOpen ;; function TestOpen
func FuzzOpen(f *testing.F) {} // EXPECT: test FuzzOpen ;; function FuzzOpen

func main() { fmt.Println(sql.Drivers()) } // EXPECT: main ;; function main
