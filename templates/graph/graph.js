"use strict";
// Draws the graph as a tree of folded nodes with springs between what is visible. Everything from the repository goes
// through textContent or fillText; nothing is ever parsed as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const KIND = 0, LABEL = 1, PLACE = 2, EXCERPT = 3, PARENT = 4;
  const MOST_VISIBLE = 5000, AT_FIRST = 300, MOST_RESULTS = 200;
  const HUES = { project: 215, manifest: 160, tool: 135, dependency: 40, import: 52, command: 300, "entry-point": 275,
    "test-suite": 325, service: 5, section: 190, symbol: 95, file: 220, directory: 220, warning: 15 };
  const GREY = new Set(["file", "directory"]), TELLING = new Set(["project", "manifest", "tool", "service", "entry-point", "test-suite"]);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colours = data.kinds.map((kind) => {
    const hue = HUES[kind] === undefined ? 240 : HUES[kind];
    return `hsl(${hue} ${GREY.has(kind) ? 14 : 62}% 52%)`;
  });
  const count = data.nodes.length;
  const children = Array.from({ length: count }, () => []);
  const roots = [];
  data.nodes.forEach((node, at) => (node[PARENT] < 0 ? roots : children[node[PARENT]]).push(at));
  const below = new Int32Array(count);
  const order = [];
  // Breadth first: unfolding shows the whole before the details of a corner.
  order.push(...roots);
  for (let i = 0; i < order.length; i++) for (const child of children[order[i]]) order.push(child);
  for (let i = order.length - 1; i >= 0; i--) {
    const parent = data.nodes[order[i]][PARENT];
    if (parent >= 0) below[parent] += below[order[i]] + 1;
  }
  const touching = Array.from({ length: count }, () => []);
  data.edges.forEach(([from, to], at) => { touching[from].push(at); if (to !== from) touching[to].push(at); });

  const hidden = new Set();
  const unfolded = new Uint8Array(count);
  const x = new Float32Array(count), y = new Float32Array(count), vx = new Float32Array(count), vy = new Float32Array(count);
  const placed = new Uint8Array(count);
  let visible = [], links = [], heat = 0, selected = -1, hovered = -1;
  let scale = 1, offsetX = 0, offsetY = 0, moved = false;

  // Which nodes are seen, and which edges join them: an edge into a folded node ends at the node it is folded into.
  const stands = new Int32Array(count);
  function arrange() {
    visible = [];
    stands.fill(-1);
    for (const at of order) {
      const parent = data.nodes[at][PARENT];
      const open = parent < 0 || (unfolded[parent] && stands[parent] === parent);
      const shownParent = parent < 0 ? -1 : stands[parent];
      if (!open) { stands[at] = shownParent; continue; }
      stands[at] = at;
      if (!hidden.has(data.nodes[at][KIND])) visible.push(at);
      if (!placed[at]) {
        const angle = at * 2.399963, far = 18 + 4 * Math.sqrt(children[parent < 0 ? at : parent].length);
        x[at] = (parent < 0 ? 0 : x[parent]) + far * Math.cos(angle);
        y[at] = (parent < 0 ? 0 : y[parent]) + far * Math.sin(angle);
        placed[at] = 1;
      }
    }
    const seen = new Set();
    links = [];
    for (const [from, to, kind] of data.edges) {
      const a = stands[from], b = stands[to];
      if (a < 0 || b < 0 || a === b || hidden.has(data.nodes[a][KIND]) || hidden.has(data.nodes[b][KIND])) continue;
      const key = a * count + b;
      if (seen.has(key)) continue;
      seen.add(key);
      links.push([a, b, kind]);
    }
    document.getElementById("shown").textContent = `${visible.length} of ${count} nodes shown`;
    heat = 1;
    wake();
  }

  function unfoldMore(limit) {
    let room = limit - visible.length;
    let grew = false;
    for (const at of order) {
      const parent = data.nodes[at][PARENT];
      if (unfolded[at] || !children[at].length || (parent >= 0 && !unfolded[parent])) continue;
      if (children[at].length > room) continue;
      room -= children[at].length;
      unfolded[at] = 1;
      grew = true;
    }
    return grew;
  }

  function reveal(at) {
    for (let up = data.nodes[at][PARENT]; up >= 0; up = data.nodes[up][PARENT]) unfolded[up] = 1;
    arrange();
  }

  // Barnes and Hut's approximation: far groups push as one.
  const quad = { child: new Int32Array(0), mass: new Float32Array(0), cx: new Float32Array(0), cy: new Float32Array(0), body: new Int32Array(0), size: new Float32Array(0), used: 0 };
  function cell(size) {
    const at = quad.used++;
    quad.child.fill(-1, at * 4, at * 4 + 4);
    quad.mass[at] = quad.cx[at] = quad.cy[at] = 0;
    quad.body[at] = -1;
    quad.size[at] = size;
    return at;
  }
  function grow() {
    const need = visible.length * 8 + 64;
    if (quad.mass.length < need) {
      quad.child = new Int32Array(need * 4);
      for (const name of ["mass", "cx", "cy", "size"]) quad[name] = new Float32Array(need);
      quad.body = new Int32Array(need);
    }
    let low = Infinity, left = Infinity, high = -Infinity, right = -Infinity;
    for (const at of visible) {
      left = Math.min(left, x[at]); right = Math.max(right, x[at]);
      low = Math.min(low, y[at]); high = Math.max(high, y[at]);
    }
    quad.used = 0;
    const size = Math.max(right - left, high - low, 1) * 1.01;
    const root = cell(size);
    const limit = quad.mass.length - 8;
    for (const at of visible) {
      let here = root, cornerX = left, cornerY = low, side = size, body = at;
      for (let depth = 0; depth < 40 && quad.used < limit; depth++) {
        quad.cx[here] += x[body]; quad.cy[here] += y[body]; quad.mass[here] += 1;
        if (quad.mass[here] === 1) { quad.body[here] = body; break; }
        side /= 2;
        const step = (node) => {
          const easterly = x[node] >= cornerX + side ? 1 : 0, northerly = y[node] >= cornerY + side ? 2 : 0;
          const slot = here * 4 + easterly + northerly;
          if (quad.child[slot] < 0) quad.child[slot] = cell(side);
          return [quad.child[slot], easterly, northerly];
        };
        const old = quad.body[here];
        if (old >= 0) {
          quad.body[here] = -1;
          const [next] = step(old);
          quad.cx[next] += x[old]; quad.cy[next] += y[old]; quad.mass[next] += 1;
          quad.body[next] = old;
        }
        const [next, easterly, northerly] = step(body);
        if (easterly) cornerX += side;
        if (northerly) cornerY += side;
        here = next;
      }
    }
  }
  const stack = new Int32Array(4096);
  let turn = 0;
  function push(at, times) {
    let top = 0;
    stack[top++] = 0;
    while (top) {
      const here = stack[--top], mass = quad.mass[here];
      if (!mass || (mass === 1 && quad.body[here] === at)) continue;
      const dx = x[at] - quad.cx[here] / mass, dy = y[at] - quad.cy[here] / mass;
      const d2 = dx * dx + dy * dy + 1;
      if (mass === 1 || quad.size[here] * quad.size[here] < 1.2 * d2) {
        const force = (90 * mass * heat * times) / d2;
        vx[at] += dx * force / Math.sqrt(d2) * 3; vy[at] += dy * force / Math.sqrt(d2) * 3;
        continue;
      }
      for (let i = 0; i < 4; i++) {
        const next = quad.child[here * 4 + i];
        if (next >= 0 && top < stack.length) stack[top++] = next;
      }
    }
  }
  function tick() {
    grow();
    // A large drawing settles in turns: each node is pushed in every nth tick, n times as hard.
    const turns = Math.ceil(visible.length / 1500);
    turn = (turn + 1) % turns;
    for (let i = turn; i < visible.length; i += turns) push(visible[i], turns);
    for (const [a, b] of links) {
      const dx = x[b] - x[a], dy = y[b] - y[a], d = Math.sqrt(dx * dx + dy * dy) + 0.01;
      const pull = ((d - 34) / d) * 0.06 * heat;
      vx[a] += dx * pull; vy[a] += dy * pull; vx[b] -= dx * pull; vy[b] -= dy * pull;
    }
    for (const at of visible) {
      vx[at] -= x[at] * 0.002 * heat; vy[at] -= y[at] * 0.002 * heat;
      const speed = Math.hypot(vx[at], vy[at]), most = 30 * heat + 1, slow = speed > most ? most / speed : 1;
      x[at] += vx[at] * slow; y[at] += vy[at] * slow;
      vx[at] *= 0.6; vy[at] *= 0.6;
    }
    heat *= 0.985;
    if (heat < 0.02) heat = 0;
  }

  const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
  const radius = (at) => 4 + (unfolded[at] ? 0 : Math.min(9, Math.sqrt(below[at]) * 0.8));
  function draw() {
    const style = getComputedStyle(document.documentElement);
    const ratio = devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const ink = style.getPropertyValue("--ink"), edge = style.getPropertyValue("--edge"), blue = style.getPropertyValue("--blue");
    pen.lineWidth = 1;
    pen.strokeStyle = edge;
    pen.beginPath();
    for (const [a, b] of links) { pen.moveTo(sx(a), sy(a)); pen.lineTo(sx(b), sy(b)); }
    pen.stroke();
    const chosen = selected >= 0 ? stands[selected] : -1;
    if (chosen >= 0) {
      pen.strokeStyle = blue; pen.lineWidth = 2;
      pen.beginPath();
      for (const [a, b] of links) if (a === chosen || b === chosen) { pen.moveTo(sx(a), sy(a)); pen.lineTo(sx(b), sy(b)); }
      pen.stroke();
    }
    const groups = data.kinds.map(() => []);
    for (const at of visible) groups[data.nodes[at][KIND]].push(at);
    groups.forEach((group, kind) => {
      pen.fillStyle = colours[kind];
      pen.beginPath();
      for (const at of group) {
        const px = sx(at), py = sy(at), size = radius(at) * Math.min(1.6, Math.max(0.5, scale));
        pen.moveTo(px + size, py);
        pen.arc(px, py, size, 0, 7);
      }
      pen.fill();
    });
    pen.fillStyle = ink;
    pen.font = "12px system-ui, sans-serif";
    // A label takes its place in a grid: the telling kinds and the chosen node first, and none over another.
    const taken = new Set();
    const rank = (at) => (at === chosen || at === hovered ? 0 : TELLING.has(data.kinds[data.nodes[at][KIND]]) ? 1 : 2);
    const ranks = [[], [], []];
    for (const at of visible) ranks[rank(at)].push(at);
    for (const at of ranks.flat()) {
      const px = sx(at), py = sy(at);
      if (px < -40 || py < -20 || px > canvas.clientWidth + 40 || py > canvas.clientHeight + 20) continue;
      const row = Math.round(py / 14), column = Math.floor(px / 130);
      const free = !taken.has(row * 999 + column) && !taken.has(row * 999 + column + 1);
      if (at !== chosen && at !== hovered && (!free || taken.size > 600)) continue;
      taken.add(row * 999 + column).add(row * 999 + column + 1);
      const folded = !unfolded[at] && below[at] ? ` (+${below[at]})` : "";
      pen.fillText(short(data.nodes[at][LABEL], at === chosen ? 60 : 28) + folded, px + radius(at) + 3, py + 4);
    }
    if (chosen >= 0) {
      pen.strokeStyle = blue; pen.lineWidth = 2.5;
      pen.beginPath(); pen.arc(sx(chosen), sy(chosen), radius(chosen) + 4, 0, 7); pen.stroke();
    }
  }
  const sx = (at) => x[at] * scale + offsetX, sy = (at) => y[at] * scale + offsetY;
  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  let waiting = false;
  function wake() { if (!waiting) { waiting = true; requestAnimationFrame(frame); } }
  const times = [], drawn = [];
  function frame() {
    waiting = false;
    const begin = performance.now();
    if (heat > 0) tick();
    const ticked = performance.now();
    if (!moved && heat > 0) fit();
    draw();
    times.push(performance.now() - begin);
    drawn.push(performance.now() - ticked);
    if (times.length > 240) { times.shift(); drawn.shift(); }
    if (heat > 0) wake();
  }
  function fit() {
    let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
    for (const at of visible) { left = Math.min(left, x[at]); right = Math.max(right, x[at]); low = Math.min(low, y[at]); high = Math.max(high, y[at]); }
    if (!visible.length) return;
    scale = Math.min(2, 0.9 * Math.min(canvas.clientWidth / (right - left + 60), canvas.clientHeight / (high - low + 60)));
    offsetX = canvas.clientWidth / 2 - ((left + right) / 2) * scale;
    offsetY = canvas.clientHeight / 2 - ((low + high) / 2) * scale;
  }
  function resize() {
    const ratio = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    wake();
  }

  function element(tag, text, parent) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }
  function select(at, centre) {
    selected = at;
    if (stands[at] !== at) reveal(at);
    if (centre) {
      moved = true;
      scale = Math.max(scale, 1.2);
      offsetX = canvas.clientWidth / 2 - x[at] * scale;
      offsetY = canvas.clientHeight / 2 - y[at] * scale;
    }
    const node = data.nodes[at], box = document.getElementById("details");
    box.replaceChildren();
    element("small", data.kinds[node[KIND]], box);
    element("h2", node[LABEL], box);
    if (node[PLACE]) element("p", node[PLACE], box);
    if (node[EXCERPT]) element("pre", node[EXCERPT], box);
    if (children[at].length) {
      const button = element("button", unfolded[at] ? "Fold" : `Unfold ${children[at].length}`, box);
      button.type = "button";
      button.addEventListener("click", () => { toggle(at); select(at, false); });
    }
    const list = element("ul", undefined, box);
    for (const index of touching[at].slice(0, 300)) {
      const [from, to, kind] = data.edges[index];
      const other = from === at ? to : from;
      const item = element("li", undefined, list);
      element("small", from === at ? `${data.edgeKinds[kind]} → ` : `← ${data.edgeKinds[kind]} `, item);
      const button = element("button", `${short(data.nodes[other][LABEL], 90)}`, item);
      button.type = "button";
      button.addEventListener("click", () => select(other, true));
    }
    if (touching[at].length > 300) element("p", `and ${touching[at].length - 300} more`, box);
    wake();
  }
  function toggle(at) {
    if (!children[at].length) return;
    if (!unfolded[at] && visible.length + children[at].length > MOST_VISIBLE) return;
    unfolded[at] ^= 1;
    arrange();
  }

  const search = document.getElementById("search"), results = document.getElementById("results");
  function look() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    results.replaceChildren();
    let found = 0;
    for (let at = 0; at < count; at++) {
      const node = data.nodes[at];
      if (hidden.has(node[KIND])) continue;
      if (!words.length && (GREY.has(data.kinds[node[KIND]]) || data.kinds[node[KIND]] === "import")) continue;
      const text = `${data.kinds[node[KIND]]} ${node[LABEL]} ${node[PLACE]} ${node[EXCERPT]}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
      if (++found > MOST_RESULTS) continue;
      const button = element("button", undefined, results);
      button.type = "button";
      button.setAttribute("role", "option");
      element("span", "", button).className = "dot";
      button.firstChild.style.background = colours[node[KIND]];
      button.append(short(node[LABEL], 90));
      element("small", node[PLACE] ? `  ${node[PLACE]}` : "", button);
      button.addEventListener("click", () => select(at, true));
    }
    if (!found) element("p", "Nothing found.", results).className = "soft";
    if (found > MOST_RESULTS) element("p", `and ${found - MOST_RESULTS} more`, results).className = "soft";
  }

  const box = document.getElementById("kinds");
  data.kinds.forEach((kind, at) => {
    const label = element("label", undefined, box), tick = element("input", undefined, label);
    tick.type = "checkbox";
    tick.checked = true;
    const dot = element("span", "", label);
    dot.className = "dot";
    dot.style.background = colours[at];
    label.append(`${kind} ${data.nodes.filter((node) => node[KIND] === at).length}`);
    tick.addEventListener("change", () => { hidden[tick.checked ? "delete" : "add"](at); arrange(); look(); });
  });

  function under(event) {
    const bounds = canvas.getBoundingClientRect(), px = event.clientX - bounds.left, py = event.clientY - bounds.top;
    let best = -1, least = 16 * 16;
    for (const at of visible) {
      const d2 = (sx(at) - px) ** 2 + (sy(at) - py) ** 2;
      if (d2 < least) { least = d2; best = at; }
    }
    return best;
  }
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = { at: under(event), px: event.clientX, py: event.clientY, far: 0 };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const now = under(event);
      if (now !== hovered) { hovered = now; wake(); }
      return;
    }
    const dx = event.clientX - drag.px, dy = event.clientY - drag.py;
    drag.px = event.clientX; drag.py = event.clientY; drag.far += Math.abs(dx) + Math.abs(dy);
    moved = true;
    if (drag.at >= 0 && drag.far > 3) { x[drag.at] += dx / scale; y[drag.at] += dy / scale; heat = Math.max(heat, 0.1); }
    else if (drag.at < 0) { offsetX += dx; offsetY += dy; }
    wake();
  });
  canvas.addEventListener("pointerup", () => {
    if (drag && drag.far <= 3 && drag.at >= 0) select(drag.at, false);
    drag = null;
  });
  canvas.addEventListener("dblclick", (event) => { const at = under(event); if (at >= 0) toggle(at); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    moved = true;
    const bounds = canvas.getBoundingClientRect(), px = event.clientX - bounds.left, py = event.clientY - bounds.top;
    const by = Math.exp(-event.deltaY * 0.0015), next = Math.min(8, Math.max(0.02, scale * by));
    offsetX = px - ((px - offsetX) / scale) * next;
    offsetY = py - ((py - offsetY) / scale) * next;
    scale = next;
    wake();
  }, { passive: false });
  document.getElementById("fit").addEventListener("click", () => { moved = false; fit(); wake(); });
  document.getElementById("fold").addEventListener("click", () => { unfolded.fill(0); start(); });
  document.getElementById("unfold").addEventListener("click", () => { unfoldMore(MOST_VISIBLE); arrange(); });
  search.addEventListener("input", look);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape") { search.value = ""; look(); search.blur(); }
  });
  addEventListener("resize", resize);
  dark.addEventListener("change", wake);

  function start() {
    arrange();
    while (visible.length < AT_FIRST && unfoldMore(AT_FIRST)) arrange();
  }
  start();
  resize();
  look();
  // For measuring: how long the last frames took, in milliseconds.
  window.envcGraph = { times, drawn, select, unfold: () => { unfoldMore(MOST_VISIBLE); arrange(); }, visible: () => visible.length };
})();
