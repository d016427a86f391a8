use super::super::testing::{repo, summary};

#[test]
fn a_build_of_several_projects() {
    let graph = repo(&[
        (
            "settings.gradle.kts",
            "rootProject.name = \"thing\"\ninclude(\n    \":core\",\n    \":tools:cli\",\n)\nproject(\":core\").projectDir = file(\"lib/core\")\n",
        ),
        (
            "build.gradle.kts",
            "plugins {\n    kotlin(\"jvm\") version \"1.9.20\" apply false\n    id(\"org.springframework.boot\") version \"3.2\"\n    java\n}\n",
        ),
        (
            "gradle/libs.versions.toml",
            "[versions]\njava-target = \"11\"\n",
        ),
        (
            "gradle/wrapper/gradle-wrapper.properties",
            "distributionUrl=https\\://h/gradle-8.5-rc-1-bin.zip\n",
        ),
        ("gradlew", "#!/bin/sh\n"),
        (
            "lib/core/build.gradle",
            "apply plugin: 'java-library'\nsourceCompatibility = '1.8'\ndependencies {\n  api 'a:b:1.0'\n  testImplementation(\"junit:junit:4.13\") // c\n}\n",
        ),
        ("lib/core/src/test/java/T.java", ""),
        (
            "tools/cli/build.gradle.kts",
            "plugins { application }\njava { toolchain { languageVersion = JavaLanguageVersion.of(17) } }\ntasks.withType<JavaCompile> { options.release.set(libs.versions.java.target.get().toInt()) }\ndependencies {\n  implementation(project(\":lib:core\"))\n}\n",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    gradle "" thing (settings.gradle.kts:1)
      build-command = ./gradlew assemble (gradlew)
      language = Java (lib/core/src/test/java)
      member = lib/core (settings.gradle.kts:3)
      member = tools/cli (settings.gradle.kts:4)
      plugin = org.jetbrains.kotlin.jvm (build.gradle.kts:2)
      plugin = org.springframework.boot (build.gradle.kts:3)
      plugin = java (build.gradle.kts:4)
      run-command = ./gradlew bootRun (build.gradle.kts:3)
      test-command = ./gradlew test (gradlew)
      wrapper = gradlew (gradlew)
      tool kotlin 1.9.20 Manifest (build.gradle.kts:2)
      tool gradle 8.5-rc-1 Lock (gradle/wrapper/gradle-wrapper.properties:1)
      tool java >=8 Manifest (lib/core/build.gradle:2)
      tool java 17 Manifest (tools/cli/build.gradle.kts:2)
      tool java >=11 Manifest (tools/cli/build.gradle.kts:3)
    gradle "lib/core" core (lib/core/build.gradle)
      language = Java (lib/core/src/test/java)
      plugin = java-library (lib/core/build.gradle:1)
      workspace-root = . (lib/core/build.gradle)
      project gradle "" (settings.gradle.kts:1)
      tool java >=8 Manifest (lib/core/build.gradle:2)
      maven a:b:1.0 [runtime] (lib/core/build.gradle:4)
      maven junit:junit:4.13 [test] (lib/core/build.gradle:5)
      suite gradle (lib/core/src/test)
    gradle "tools/cli" cli (tools/cli/build.gradle.kts)
      plugin = application (tools/cli/build.gradle.kts:1)
      workspace-root = . (tools/cli/build.gradle.kts)
      project gradle "" (settings.gradle.kts:1)
      project gradle "lib/core" (lib/core/build.gradle)
      tool java 17 Manifest (tools/cli/build.gradle.kts:2)
      tool java >=11 Manifest (tools/cli/build.gradle.kts:3)
    "#);
}

#[test]
fn java_versions_as_they_are_written() {
    for (text, wanted) in [
        ("sourceCompatibility = JavaVersion.VERSION_1_8", ">=8"),
        (
            "java { sourceCompatibility JavaVersion.VERSION_11 }",
            ">=11",
        ),
        ("targetCompatibility = 1.8", ">=8"),
        ("kotlin { jvmToolchain(21) }", "21"),
        ("kotlinOptions { jvmTarget = \"17\" }", ">=17"),
        (
            "compilerOptions { jvmTarget.set(JvmTarget.JVM_17) }",
            ">=17",
        ),
        ("languageVersion.set(JavaLanguageVersion.of(\"8\"))", "8"),
        ("options.release = 9", ">=9"),
        ("sourceCompatibility = javaVersion\nx = 3", ""),
    ] {
        let script = super::script::Script::read(text, &[]);
        let found: Vec<&str> = script.java.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(found.join(" "), wanted, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in "(?s)([a-z(){}\"'., :=]|plugins|dependencies|project|include|jvmToolchain|version|apply){0,60}") {
        repo(&[("settings.gradle", &text), ("build.gradle", &text)]);
    }
}
