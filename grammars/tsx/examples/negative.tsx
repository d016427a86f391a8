const view = <p>import x from "text";</p>;
