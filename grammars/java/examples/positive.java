package org.example;

import com.google.common.collect.Lists; // EXPECT: import com.google.common.collect.Lists
import static org.junit.Assert.assertEquals; // EXPECT: import org.junit.Assert.assertEquals
import org.slf4j.*; // EXPECT: import org.slf4j

public class Positive { // EXPECT: type Positive
    @Test
    public void adds() {} // EXPECT: test adds ;; function adds

    @ParameterizedTest(name = "x")
    void each(int a) {} // EXPECT: test each ;; function each

    public static void main(String[] args) {} // EXPECT: main ;; function main
}
