use super::super::testing::{repo, summary};

#[test]
fn a_solution() {
    let graph = repo(&[
        (
            "Thing.sln",
            "Microsoft Visual Studio Solution File\nProject(\"{FAE0}\") = \"App\", \"src\\App\\App.csproj\", \"{1}\"\nEndProject\nProject(\"{FAE0}\") = \"Tests\", \"tests\\App.Tests\\App.Tests.csproj\", \"{2}\"\nEndProject\n",
        ),
        ("global.json", "{\"sdk\": {\n\"version\": \"8.0.100\"}}"),
        (
            "Directory.Build.props",
            "<Project><PropertyGroup><Tfm>net8.0</Tfm></PropertyGroup></Project>",
        ),
        (
            "src/App/App.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\">\n<PropertyGroup><OutputType>Exe</OutputType>\n<TargetFrameworks>$(Tfm);netstandard2.0</TargetFrameworks></PropertyGroup>\n<ItemGroup><PackageReference Include=\"Newtonsoft.Json\" Version=\"13.0.1\"/></ItemGroup></Project>",
        ),
        (
            "tests/App.Tests/App.Tests.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net6.0</TargetFramework></PropertyGroup>\n<ItemGroup><PackageReference Include=\"xunit\" Version=\"2\"/>\n<ProjectReference Include=\"..\\..\\src\\App\\App.csproj\"/></ItemGroup></Project>",
        ),
        ("tests/fixture/F.csproj", "<Project/>"),
        (
            "old/Old.csproj",
            "<Project><PropertyGroup><TargetFrameworkVersion>v4.5</TargetFrameworkVersion></PropertyGroup></Project>",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    dotnet "" Thing (Thing.sln)
      build-command = dotnet build (Thing.sln)
      install-command = dotnet restore (Thing.sln)
      language = C# (src/App/App.csproj)
      member = src/App (Thing.sln:2)
      member = tests/App.Tests (Thing.sln:4)
      solution = Thing.sln (Thing.sln)
      test-command = dotnet test (Thing.sln)
      tool dotnet >=8.0 Manifest (src/App/App.csproj:3)
      tool dotnet 8.0.100 Lock (global.json:2)
      tool dotnet >=6.0 Manifest (tests/App.Tests/App.Tests.csproj:1)
    dotnet "old" Old (old/Old.csproj)
      build-command = dotnet build (old/Old.csproj)
      framework = v4.5 (old/Old.csproj:1)
      install-command = dotnet restore (old/Old.csproj)
      language = C# (old/Old.csproj)
      test-command = dotnet test (old/Old.csproj)
      windows = .NET Framework (old/Old.csproj:1)
      tool dotnet 8.0.100 Lock (global.json:2)
      entry Library Old (old/Old.csproj)
    dotnet "src/App" App (src/App/App.csproj)
      framework = net8.0 (src/App/App.csproj:3)
      framework = netstandard2.0 (src/App/App.csproj:3)
      language = C# (src/App/App.csproj)
      run-command = dotnet run (src/App/App.csproj:2)
      workspace-root = . (src/App/App.csproj)
      project dotnet "" (Thing.sln)
      tool dotnet >=8.0 Manifest (src/App/App.csproj:3)
      nuget Newtonsoft.Json 13.0.1 [runtime] (src/App/App.csproj:4)
      tool dotnet 8.0.100 Lock (global.json:2)
      entry Command App (src/App/App.csproj:2)
    dotnet "tests/App.Tests" App.Tests (tests/App.Tests/App.Tests.csproj)
      framework = net6.0 (tests/App.Tests/App.Tests.csproj:1)
      language = C# (tests/App.Tests/App.Tests.csproj)
      workspace-root = . (tests/App.Tests/App.Tests.csproj)
      project dotnet "" (Thing.sln)
      project dotnet "src/App" (src/App/App.csproj)
      tool dotnet >=6.0 Manifest (tests/App.Tests/App.Tests.csproj:1)
      nuget xunit 2 [runtime] (tests/App.Tests/App.Tests.csproj:2)
      tool dotnet 8.0.100 Lock (global.json:2)
      suite xunit (tests/App.Tests/App.Tests.csproj:2)
    "#);
}

#[test]
fn hostile_files_are_survived() {
    for text in [
        "",
        "<Project",
        "Project(\"\"\"\"\n",
        "<Project><PropertyGroup><TargetFramework>$(TargetFramework)</TargetFramework></PropertyGroup></Project>",
    ] {
        repo(&[
            ("a.csproj", text),
            ("a.sln", text),
            ("a.slnx", text),
            ("global.json", text),
        ]);
    }
}
