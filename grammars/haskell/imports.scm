; `import qualified A.B as C`. A module of the project and one of a package look alike.
(import module: (module) @system)
