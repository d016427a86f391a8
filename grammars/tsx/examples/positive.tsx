import React from "react"; // EXPECT: import react
import { own } from "./own"; // EXPECT: local ./own
export function App() { // EXPECT: function App
  return <div title="x">{own}</div>;
}
it("renders", () => { // EXPECT: test "renders"
  render(<App />);
});
