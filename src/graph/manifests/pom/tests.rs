use super::super::testing::{repo, summary};

#[test]
fn modules_with_a_parent() {
    let graph = repo(&[
        (
            "pom.xml",
            "<project>\n<groupId>g</groupId><artifactId>root</artifactId><version>1</version><packaging>pom</packaging>\n<properties><java.release>17</java.release><junit.version>5.10</junit.version></properties>\n<modules><module>core</module>\n<module>app</module><module>gone</module></modules>\n<build><pluginManagement><plugins><plugin><artifactId>maven-compiler-plugin</artifactId>\n<configuration><release>${java.release}</release></configuration></plugin></plugins></pluginManagement>\n<plugins><plugin><artifactId>maven-failsafe-plugin</artifactId></plugin></plugins></build>\n<profiles><profile><id>it</id></profile></profiles></project>",
        ),
        (
            "core/pom.xml",
            "<project><parent><groupId>g</groupId><artifactId>root</artifactId><version>1</version></parent>\n<artifactId>core</artifactId>\n<dependencies><dependency><groupId>org.junit</groupId><artifactId>junit</artifactId><version>${junit.version}</version><scope>test</scope></dependency></dependencies></project>",
        ),
        ("core/src/test/java/T.java", ""),
        (
            "app/pom.xml",
            "<project><parent><groupId>g</groupId><artifactId>root</artifactId><version>1</version></parent>\n<artifactId>app</artifactId>\n<dependencies><dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId><version>${project.version}</version></dependency></dependencies></project>",
        ),
        ("mvnw", "#!/bin/sh\n"),
        (
            ".mvn/wrapper/maven-wrapper.properties",
            "x=y\ndistributionUrl=https://h/apache-maven-3.9.6-bin.zip\n",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    maven "" root (pom.xml:2)
      artifact = g:root (pom.xml:2)
      build-command = ./mvnw -B -DskipTests package (mvnw)
      language = Java (core/src/test/java)
      member = core (pom.xml:4)
      member = app (pom.xml:5)
      packaging = pom (pom.xml:2)
      plugin = maven-failsafe-plugin (pom.xml:8)
      profile = it (pom.xml:9)
      test-command = ./mvnw -B verify (mvnw)
      wrapper = mvnw (mvnw)
      tool java >=17 Manifest (pom.xml:7)
      tool maven 3.9.6 Lock (.mvn/wrapper/maven-wrapper.properties:2)
    maven "app" app (app/pom.xml:2)
      artifact = g:app (app/pom.xml:2)
      workspace-root = . (app/pom.xml)
      project maven "" (pom.xml:2)
      tool java >=17 Manifest (pom.xml:7)
      maven g:core:1 [runtime] (app/pom.xml:3)
      project maven "core" (core/pom.xml:2)
    maven "core" core (core/pom.xml:2)
      artifact = g:core (core/pom.xml:2)
      language = Java (core/src/test/java)
      workspace-root = . (core/pom.xml)
      project maven "" (pom.xml:2)
      tool java >=17 Manifest (pom.xml:7)
      maven org.junit:junit:5.10 [test] (core/pom.xml:3)
      suite surefire (core/src/test)
      suite failsafe (pom.xml:8)
    "#);
}

#[test]
fn hostile_poms_are_survived() {
    for text in [
        "<project><artifactId>a</artifactId><properties><a>${b}</a><b>${a}</b><java.version>${a}</java.version></properties>",
        "<project><artifactId>a</artifactId><parent><artifactId>a</artifactId><relativePath>pom.xml</relativePath></parent></project>",
        "<!DOCTYPE p [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><project><artifactId>&b;</artifactId><modules><module>../../x</module></modules></project>",
        "<project",
        "\u{feff}<project>\r\n<artifactId>a</artifactId>\r\n</project>",
    ] {
        repo(&[("pom.xml", text)]);
    }
}
