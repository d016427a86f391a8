package org.example

import com.squareup.moshi.Moshi // EXPECT: import com.squareup.moshi.Moshi
import kotlinx.coroutines.* // EXPECT: import kotlinx.coroutines

interface Shape // EXPECT: type Shape
object Single // EXPECT: type Single
class Tests { // EXPECT: type Tests
    @Test
    fun adds() {} // EXPECT: test adds ;; function adds
}

fun main() { println("x") } // EXPECT: main ;; function main
