// Judge training: puts the views in place that the server writes; keys, the clock, "this one", files. Needs page.js before it.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const room = () => $("#train .room, #progress .room");
  const page = () => (location.pathname === "/progress" ? "progress" : "train");
  const LOST = "The page can’t reach its server. Is it still running? Then do it once more.";

  // ---- which profile this browser trains as; a window that keeps nothing knows it until it is closed
  const KEPT = "profile";
  let profile = "";
  try { profile = localStorage.getItem(KEPT) || ""; } catch { /* private window */ }
  const keep = (name) => {
    profile = name;
    try { if (name) localStorage.setItem(KEPT, name); else localStorage.removeItem(KEPT); } catch { /* private window */ }
  };

  // ---- asking the server
  const whole = (text) => text.replace(/\p{Surrogate}/gu, ""); // half a character fits in no address
  const send = async (address, body, kind) => {
    const reply = await fetch(`/piece/train/${address}`, { method: "POST", headers: { "Content-Type": kind, "X-Lawyer": "train" }, body });
    return reply.json();
  };
  const ask = (act, wish = {}) => send(act, JSON.stringify({ profile, ...wish }), "application/json");
  let busy = false; // whether an act is under way; a second click does nothing
  const act = async (work, push = false, form = null) => {
    if (busy) return false;
    busy = true;
    room().setAttribute("aria-busy", "true");
    let reply;
    try { reply = await work(); } catch { reply = { error: LOST }; }
    busy = false;
    room().removeAttribute("aria-busy");
    if (reply.error) complain(reply.error, form); else if (reply.html) show(reply, push);
    return !reply.error;
  };
  const complain = (text, form) => { // beside what was done, which stays as it is
    const view = $(".training", room()) || room();
    const said = text.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1)) + (/[.!?…]$/.test(text) ? "" : ".");
    let place = $(".oops", view);
    if (!place) {
      place = document.createElement("p");
      place.className = "note oops";
      place.setAttribute("role", "alert");
    }
    const beside = form && $(".row, button[type=submit]", form);
    if (beside) beside.before(place); else view.prepend(place);
    place.textContent = said;
    if (GONE.test(text)) place.append(" ", starter("New session", "plain"));
    place.scrollIntoView({ block: "nearest" });
    if (!$(".training", room())) offerStart(place);
  };
  const GONE = /not there any more|another profile/; // what the server says where there is nothing to go on with
  const starter = (label, css) => {
    const button = document.createElement("button");
    button.type = "button"; button.className = css; button.dataset.do = page() === "progress" ? "progress" : "start"; button.textContent = label;
    return button;
  };
  const offerStart = (place) => { // an address that leads to no session of this profile is no dead end
    const button = starter("To the start", "go");
    $("button", place)?.remove();
    room().replaceChildren(place, button);
    button.focus();
  };

  // ---- a view
  let since = 0; // when the question was shown
  let at = ""; // the address of what is shown
  const show = (reply, push) => {
    if (reply.address === "/progress" && page() !== "progress") { keep(reply.profile); location.assign("/progress"); return; }
    if (reply.address.startsWith("/train") && page() !== "train") { keep(reply.profile); location.assign(reply.address); return; }
    keep(reply.profile);
    window.lawyer.at(reply.address, reply.title === "Progress" ? "Progress" : reply.title, push);
    at = reply.address;
    room().innerHTML = reply.html;
    since = performance.now();
    $("#layout").toggleAttribute("data-guessing", Boolean($('.task[data-drill="rule"] form.guess', room())));
    wind(reply.left);
    scrollTo(0, 0);
    const field = $("[data-focus]", room());
    const wanted = field?.matches("input, textarea") && !matchMedia("(pointer: fine)").matches ? $("h1", room()) : field; // no keyboard over the question
    wanted?.focus({ preventScroll: true });
    if (reply.say) window.lawyer.say(reply.say);
    const form = $("form[data-counted]", room());
    if (form) count(form);
  };
  const load = (push) => {
    const query = new URLSearchParams(location.search);
    if (page() === "progress") return act(() => early || ask("progress"), push);
    const session = query.get("session");
    return act(() => early || (session ? ask("go", { session, place: Number(query.get("at")) || 0 }) : ask("start")), push).then(() => { early = null; });
  };
  let early = null; // asked for while Gradio still loads
  if (page() === "progress") early = ask("progress");
  else {
    const query = new URLSearchParams(location.search);
    const session = query.get("session");
    early = session ? ask("go", { session, place: Number(query.get("at")) || 0 }) : ask("start");
  }
  early.catch(() => {});
  document.addEventListener("begun", () => {
    const help = $("#train-help")?.innerHTML;
    const reader = $(".reader-body");
    if (help && reader) reader.innerHTML = reader.start = help; // page.js shows it whenever no rule is open
    if (reader) new MutationObserver(() => offer(reader)).observe(reader, { childList: true });
    new MutationObserver(() => offer(room())).observe(room(), { childList: true, subtree: true });
    load(false);
  });

  // ---- the clock of an exam: the server decides, this only shows it
  let ticking = 0;
  const wind = (left) => {
    clearInterval(ticking);
    if (left === null || left === undefined) return;
    const end = Date.now() + left * 1000; // performance.now() stands still while a computer sleeps
    let last = left;
    const tick = () => {
      const now = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      const shown = $("[data-clock]", room());
      if (!shown) return clearInterval(ticking);
      const hours = Math.floor(now / 3600);
      const minutes = Math.floor(now / 60) % 60;
      shown.textContent = `${hours ? `${hours}:${String(minutes).padStart(2, "0")}` : minutes}:${String(now % 60).padStart(2, "0")}`;
      shown.classList.toggle("short", now <= 60);
      for (const mark of [300, 60]) if (last > mark && now <= mark) window.lawyer.say(`${mark / 60} ${mark === 60 ? "minute" : "minutes"} left.`);
      last = now;
      if (now > 0) return undefined;
      clearInterval(ticking);
      return timeUp();
    };
    ticking = setInterval(tick, 500);
    tick();
  };
  const timeUp = async () => { // what is typed counts, if it can
    const form = $("form.guess", room());
    const task = $(".task", room());
    const wish = form ? answerOf(form) : {};
    if (wish.guess || wish.said) { try { await ask("answer", { ...placeOf(form), ...wish }); } catch { /* the result says it */ } }
    while (busy) await new Promise((resume) => setTimeout(resume, 100));
    if (await act(() => ask("finish", { session: task.dataset.session }))) window.lawyer.say("Time is up.");
  };

  // ---- what a visitor does
  const placeOf = (element) => {
    const { session = "", place = 0 } = element.closest("[data-session]")?.dataset || {};
    return { session, place: Number(place) };
  };
  const answerOf = (form) => {
    const data = new FormData(form);
    const sure = data.get("confidence");
    return {
      guess: String(data.get("guess") || ""),
      said: String(data.get("said") || ""),
      confidence: sure ? Number(sure) : null,
      seconds: (performance.now() - since) / 1000,
    };
  };
  const planOf = (form) => {
    const data = new FormData(form);
    const three = (name) => ({ true: true, false: false })[data.get(name)] ?? null;
    const filters = {
      levels: data.getAll("levels").map(Number),
      kinds: data.getAll("kinds"),
      chapters: data.getAll("chapters").map(Number),
      keyword: String(data.get("keyword") || "").trim(),
      commander: three("commander"),
      cards: three("cards"),
    };
    const exam = data.has("exam");
    return {
      drill: data.get("drill"),
      filters,
      length: Number(data.get("length")) || 10,
      missed: data.has("missed"),
      exam,
      minutes: exam && data.get("minutes") ? Number(data.get("minutes")) : null,
      deck: data.get("deck") || "",
    };
  };
  const count = async (form) => {
    clearTimeout(count.later);
    count.later = setTimeout(async () => {
      const reply = await ask("count", { plan: planOf(form) }).catch(() => ({ say: "" }));
      const place = $(".matching", form);
      if (place) place.textContent = reply.error || reply.say;
    }, 150);
  };
  const sure = (button) => new Promise((answer) => { // asks before what can't be undone
    const dialog = $("dialog.sure-dialog");
    $("#sure-text").textContent = button.dataset.confirm;
    $("button[value=yes]", dialog).textContent = button.dataset.yes || "Yes";
    $("button[value=no]", dialog).textContent = "Not now";
    dialog.returnValue = "";
    dialog.addEventListener("close", () => { button.focus(); answer(dialog.returnValue === "yes"); }, { once: true });
    dialog.showModal();
    $("button[value=no]", dialog).focus();
  });
  const doIt = async (button) => {
    const { do: what } = button.dataset;
    if (button.dataset.confirm && !(await sure(button))) return;
    if (button.dataset.profile) keep(button.dataset.profile);
    const here = placeOf(button);
    const form = button.closest("form.guess");
    if (what === "finish" || button.dataset.at) if (!(await saved())) return;
    if (what === "begin") await act(() => ask("begin", { plan: JSON.parse(button.dataset.plan) }), true);
    else if (what === "go") await act(() => ask("go", { session: here.session, place: button.dataset.skip === undefined ? Number(button.dataset.at) || 0 : after(here.place) }), !button.closest(".task"));
    else if (what === "answer") {
      const wish = answerOf(form);
      if (button.dataset.blank !== undefined) wish.guess = "";
      else if (button.dataset.back !== undefined) wish.guess = wish.said = "";
      else if (button.dataset.guess) wish.guess = button.dataset.guess;
      await act(() => ask("answer", { ...here, ...wish }), false, form);
    }
    else if (what === "grade") await act(() => ask("grade", { ...here, grade: button.dataset.grade }));
    else if (what === "finish") await act(() => ask("finish", here));
    else if (what === "start") await act(() => ask("start"), true);
    else await act(() => ask(what, { name: button.dataset.name || "" }));
  };
  const saved = async () => { // what was typed in an exam is kept before the question is left; false where it can't be
    const form = $(".places ~ form.guess", room());
    const typed = form && [...form.querySelectorAll("[name=guess], [name=said]")].some((field) => field.value.trim() !== field.defaultValue.trim());
    if (!typed) return true;
    const reply = await ask("answer", { ...placeOf(form), ...answerOf(form) }).catch(() => ({ error: LOST }));
    if (reply.error) complain(reply.error, form);
    return !reply.error;
  };
  const after = (place) => { // of an exam: the next open question, around the end
    const open = [...document.querySelectorAll(".places button.open")].map((button) => Number(button.dataset.at)).filter((n) => n !== place);
    return open.find((n) => n > place) || open[0] || place;
  };
  const sendForm = async (form) => {
    const what = form.dataset.form;
    const value = (name) => String(form.elements[name]?.value || "");
    if (what === "begin") return act(() => ask("begin", { plan: planOf(form) }), true, form);
    if (what === "add-profile") return act(() => ask("add-profile", { name: value("name"), view: form.dataset.to }), false, form);
    if (what === "answer") {
      const wish = answerOf(form);
      const task = form.closest(".task");
      const emptied = Boolean($("[data-back]", form)); // an exam's answer is taken back so
      if (task.dataset.drill === "rule" && !wish.guess.trim() && !emptied) return complain("Name a rule first: type its number, or take one with “This one”.", form);
      return act(() => ask("answer", { ...placeOf(form), ...wish }), false, form);
    }
    const file = form.elements.file.files[0]; // import, set
    if (!file) return false;
    const query = `?profile=${encodeURIComponent(profile)}&name=${encodeURIComponent(whole(file.name))}`;
    return act(() => send(what + query, file, "application/octet-stream"), false, form);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("#train button, #progress button, aside.reader button");
    if (!button || event.defaultPrevented) return;
    if (button.dataset.do) { event.preventDefault(); void doIt(button); }
    else if (button.matches(".this-one")) take(button);
    else if (button.dataset.print) { $(".sheet").dataset.form = button.dataset.print; print(); }
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.dataset.form) return;
    event.preventDefault();
    void sendForm(event.target);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-counted]");
    if (!form) return;
    if (event.target.name === "deck") choseDeck(form, event.target.value);
    count(form);
  });
  const choseDeck = (form, deck) => { // a team's rows may have no levels: those preset are for the bank
    const levels = [...form.querySelectorAll("[name=levels]")];
    const preset = levels.every((box) => box.checked === box.defaultChecked);
    if (deck && preset) for (const box of levels) box.checked = false;
    else if (!deck && !levels.some((box) => box.checked)) for (const box of levels) box.checked = box.defaultChecked;
    const cards = $("[data-shut]", form); // of the bank it is not known which cards its questions name
    if (cards) { cards.disabled = !deck; $("[data-unknown]", form).hidden = Boolean(deck); }
  };

  // ---- finding a rule beside the question
  let asked = "";
  document.addEventListener("input", (event) => {
    const counted = event.target.closest("form[data-counted]");
    if (counted) count(counted);
    if (!event.target.matches("#find input[name=query]")) return;
    const field = event.target;
    clearTimeout(offer.later);
    offer.later = setTimeout(async () => {
      const query = asked = whole(field.value.trim().slice(0, 200));
      const html = query ? await fetch(`/piece/find?query=${encodeURIComponent(query)}`).then((reply) => reply.text()).catch(() => `<p class="note">${LOST}</p>`) : "";
      const place = $(".finder .found");
      if (place && query === asked) place.innerHTML = html;
    }, 150);
  });
  const offer = (root) => { // "This one" beside every rule
    if (!root || !$("#train")) return;
    for (const row of root.querySelectorAll(".rule:not(.heading), .list li, article.place")) {
      if (row.dataset.offered || row.closest(".revealed, .result")) continue;
      row.dataset.offered = "yes";
      const link = row.matches("article") ? null : $("a.ref", row);
      const number = row.matches("article") ? row.dataset.number : link?.textContent.trim();
      const single = row.matches("article") && $(".rule .lead", row); // a family's rules have their own
      if (!/^\d{3}\.\d+[a-z]?$/.test(number || "") || single || (row.matches(".rule") && !$(".lead", row))) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "this-one";
      button.dataset.number = number;
      button.textContent = "This one";
      button.setAttribute("aria-label", `This one: ${number}`);
      if (row.matches("article")) $("h2", row).after(button); else ($("p.text", row) || row).append(" ", button);
    }
  };
  const take = (button) => {
    const field = $("form.guess input[name=guess]");
    if (!field) return;
    const { number } = button.dataset;
    if (button.closest("aside.reader")) $("aside.reader .close").click();
    field.value = number;
    window.lawyer.say(`${number} is your answer. Enter sends it.`);
    const next = matchMedia("(pointer: fine)").matches ? field : $("form.guess button[type=submit]");
    next.focus({ preventScroll: true });
    field.scrollIntoView({ block: "center" });
  };

  // ---- keys
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing || event.defaultPrevented || $("dialog[open]")) return;
    if (event.key === "Enter" && !event.shiftKey && event.target.matches?.("textarea[data-enter]")) {
      event.preventDefault();
      event.target.form.requestSubmit();
      return;
    }
    if (event.target.matches?.("input:not([type=radio]):not([type=checkbox]), textarea, select") || $("#main[inert]")) return;
    const enter = event.key === "Enter" && !event.target.closest?.("a, button, summary, label, input, .card");
    const key = enter ? "n" : event.key;
    const button = /^[n123]$/.test(key) && $(`[data-key="${key}"]`, room());
    if (button && !event.target.closest?.("aside.reader")) { event.preventDefault(); button.click(); }
  });

  // ---- going back and forth between views; an opened rule is page.js's
  addEventListener("popstate", () => {
    if (location.pathname !== "/train" || !room()) return;
    if (location.pathname + location.search !== at) load(false);
  });
})();
