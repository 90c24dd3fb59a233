// Rules Lawyer: opening rules on the page, history, keys, copying, feedback, theme. No library, no request to elsewhere.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const KINDS = { "/rule/": ["rule", "number"], "/term/": ["term", "name"] };
  const pieces = new Map();
  // Gradio tells its page by the address and knows /browse, but not /rule/702.19b: while it loads, the address is /browse.
  const deep = /^\/(rule|term)\/./.test(location.pathname) ? location.pathname : "";
  if (deep) history.replaceState(null, "", deep.startsWith("/rule/") ? "/browse" : "/glossary");
  let begun = false; // whether Gradio has put the page together
  let base = location.pathname + location.search; // the page's own address, without an opened rule
  let from = null; // what had the focus before the reader opened
  const SITE = "Rules Lawyer";
  let title = document.title; // the tab's, without an opened rule
  const titled = (...parts) => [...parts, SITE].filter(Boolean).join(" – ");

  // ---- theme: the visitor's choice wins over the system's, which Gradio follows by itself
  const chosen = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const paint = (dark) => { // the edge beside the page and behind its scroll bar belongs to no element of the page
    Object.assign(document.documentElement.style, { colorScheme: dark ? "dark" : "light", backgroundColor: dark ? "#14171d" : "#fbfaf7" });
    if (document.body) document.body.style.background = "transparent";
    if (document.body && document.body.classList.contains("dark") !== dark) document.body.classList.toggle("dark", dark);
  };
  let switched = null; // what was chosen on this page; it outlives a window that keeps nothing
  const applyTheme = () => {
    const wanted = switched || new URLSearchParams(location.search).get("__theme") || chosen();
    paint(wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  };
  applyTheme();
  Object.assign(document.documentElement.style, { scrollbarGutter: innerWidth > 700 ? "stable" : "auto", scrollPaddingTop: "5rem" });
  document.addEventListener("DOMContentLoaded", () => {
    applyTheme();
    new MutationObserver(applyTheme).observe(document.body, { attributeFilter: ["class"] });
  });
  const switchTheme = () => {
    switched = document.body.classList.contains("dark") ? "light" : "dark";
    try { localStorage.setItem("theme", switched); } catch { /* private window: only for this page */ }
    applyTheme();
  };

  // ---- which page this is, and where a rule is shown on it
  const page = () => $("header.site")?.dataset.page;
  const view = () => $("#view");
  const body = () => view() || $(".reader-body");
  const reading = (now) => { // with a value: sets whether a rule is open
    const site = $("#layout");
    if (site && now !== undefined) { site.toggleAttribute("data-reading", now); cover(); }
    return Boolean(site?.hasAttribute("data-reading"));
  };
  const narrow = matchMedia("(max-width: 1023px)"); // there the reader is a sheet over the page, which keys must not reach
  const cover = () => {
    for (const part of document.querySelectorAll("#header, #main, #footer")) part.toggleAttribute("inert", narrow.matches && !view() && reading());
  };
  narrow.addEventListener("change", cover);
  const say = (text) => { const status = $("#status"); if (status) status.textContent = text; };

  const target = (path) => {
    for (const [start, [kind, key]] of Object.entries(KINDS)) {
      if (path.startsWith(start) && path.length > start.length) {
        let name = path.slice(start.length).replace(/\/+$/, "");
        try { name = decodeURIComponent(name); } catch { /* shown as it is */ }
        return { kind, address: `/piece/${kind}?${key}=${encodeURIComponent(name)}` };
      }
    }
    return null;
  };

  const piece = (address) => {
    if (!pieces.has(address)) {
      const got = fetch(address).then((reply) => {
        if (!reply.ok) throw new Error(reply.status);
        return reply.text();
      });
      got.catch(() => pieces.delete(address));
      pieces.set(address, got);
    }
    return pieces.get(address);
  };

  const open = async (path, push) => {
    const wanted = target(path);
    if (!wanted || !body()) return;
    let html;
    try { html = await piece(wanted.address); } catch {
      html = '<p class="note">The page can’t reach its server. Is it still running?</p>';
    }
    if (!reading()) from = document.activeElement;
    follow();
    if (push) history.pushState({ opened: path }, "", path);
    body().innerHTML = html;
    reading(true);
    const article = $(".place", body());
    document.title = titled(article?.dataset.title || "Not found");
    const scroller = view() ? null : $("aside.reader");
    if (scroller) scroller.scrollTop = 0; else scrollTo(0, 0);
    const contents = $("details.contents");
    if (contents && innerWidth < 900) contents.open = false;
    $("h2", body())?.focus({ preventScroll: true });
    if (view() && article) unfold(article.dataset.number);
  };

  // ---- the tree shows where the opened rule stands
  const fill = async (fold) => {
    if (fold.dataset.filled) return;
    fold.dataset.filled = "yes";
    try { $(".rules", fold).innerHTML = await piece(`/piece/contents?number=${fold.dataset.contents}`); } catch { delete fold.dataset.filled; }
  };
  const unfold = async (number) => {
    const chapter = /^\d$/.test(number) && $(`.tree details[data-chapter="${number}"]`);
    if (chapter) chapter.open = true;
    const section = /^\d{3}/.exec(number || "")?.[0];
    const fold = section && $(`.tree details[data-contents="${section}"]`);
    if (!fold) return;
    await fill(fold);
    fold.open = fold.closest(".chapter").open = true;
    for (const link of document.querySelectorAll(".tree a[aria-current]")) link.removeAttribute("aria-current");
    const family = /^\d{3}(\.\d+)?/.exec(number)[0];
    const link = $(`a[href="/rule/${family}"]`, fold);
    link?.setAttribute("aria-current", "true");
    const tree = $("details.contents");
    if (link && innerWidth >= 900) tree.scrollTop += link.getBoundingClientRect().top - tree.getBoundingClientRect().top - tree.clientHeight / 3;
  };

  const close = (push) => {
    if (!reading()) return;
    reading(false);
    document.title = title;
    if (push) history.pushState(null, "", base);
    if (view()) { view().innerHTML = view().start; const contents = $("details.contents"); if (contents) contents.open = true; }
    else body().innerHTML = body().start;
    if (from?.isConnected) from.focus({ preventScroll: true });
  };

  // ---- asking: one question after the other, so that none is lost and each is read with the one before
  const box = () => $("#question textarea, #question input, #find textarea, #find input");
  const write = (text) => {
    const field = box();
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const waiting = []; // each with its text, and whether it is whole (a link's) and comes with the address
  let busy = false; // whether Gradio is at one
  let sending = ""; // which
  let passing = false; // whether the click is ours
  const hint = (text) => { const field = box(); field.dataset.hint ??= field.placeholder; field.placeholder = text || field.dataset.hint; };
  const next = () => {
    if (!begun || busy || !waiting.length) return;
    busy = passing = true;
    $("#question button")?.click(); // Gradio sends what "take" gives it
    passing = false;
  };
  const ask = (question, whole = false, here = false) => {
    if (!question.trim()) return;
    waiting.push({ question, whole, here });
    next();
  };
  const take = () => {
    const { question, whole, here } = waiting.shift() || { question: "", whole: false, here: false };
    sending = question;
    arriving = here;
    asked = "";
    setTimeout(() => { if (busy && sending === question) { hint(`${question.slice(0, 60)} …`); say("Looking for the rules."); } }, 250);
    return [question, whole, null];
  };
  const done = (failed) => {
    if (failed && sending && !box().value) write(sending); // to be sent again
    busy = false;
    sending = "";
    hint("");
    setTimeout(next, 0); // when this answer stands on the page
  };
  const at = (address, called, push) => { // judge training shows another view of its page
    close(false);
    if (location.pathname + location.search !== address) history[push ? "pushState" : "replaceState"](null, "", address);
    base = address;
    title = document.title = titled(called, named());
  };
  window.lawyer = { take, done, at, say }; // Gradio calls the first two around each question
  const KEPT = "waiting"; // a page that lost its server is loaded anew by Gradio; what was not answered is asked then
  addEventListener("pagehide", () => {
    const open = [...(sending ? [sending] : []), ...waiting.map((one) => one.question)];
    try { if (open.length) sessionStorage.setItem(KEPT, JSON.stringify(open)); } catch { /* private window */ }
  });
  const kept = (question) => {
    try {
      const found = JSON.parse(sessionStorage.getItem(KEPT) || "[]");
      sessionStorage.removeItem(KEPT);
      return performance.getEntriesByType("navigation")[0]?.type === "reload" ? found.filter((one) => one !== question) : [];
    } catch { return []; }
  };
  const typed = (event) => { // before Gradio sees it
    event.preventDefault();
    event.stopImmediatePropagation();
    const question = box().value;
    if (question.trim()) write("");
    ask(question);
  };
  document.addEventListener("keypress", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.matches?.("#question textarea, #question input")) typed(event);
  }, true);
  document.addEventListener("click", (event) => { if (!passing && event.target.closest?.("#question button")) typed(event); }, true);
  let asked = ""; // the permalink of the answer that is shown
  let arriving = false; // whether the question came with the address
  const answered = () => {
    const answer = $("#answer section.answer");
    const permalink = answer?.dataset.permalink;
    if (!permalink || permalink === asked) return;
    const same = arriving || location.pathname + location.search === permalink;
    history[same ? "replaceState" : "pushState"](null, "", permalink);
    arriving = false;
    asked = base = permalink;
    reading(false);
    if (body()) body().innerHTML = body().start;
    const rules = answer.dataset.rules ? answer.dataset.rules.split(" ") : [];
    const best = answer.dataset.settled === "no" ? "they may not settle this question" : `the best is ${rules[0]}`;
    say(rules.length ? `${rules.length} ${rules.length === 1 ? "rule" : "rules"} found, ${best}.` : "No rule found.");
    title = document.title = titled(answer.dataset.question.slice(0, 60));
    scrollTo(0, 0);
  };

  // ---- searching: the address follows what is typed
  const named = () => $("header.site .pages a[aria-current]")?.textContent || "";
  const found = () => (page() === "search" ? box()?.value.trim() || "" : "");
  const follow = () => {
    clearTimeout(follow.later);
    if (page() !== "search" || !begun) return;
    const query = found();
    const here = query ? `/search?q=${encodeURIComponent(query)}` : "/search";
    const called = titled(query, named());
    if (here === base && called === title) return;
    base = here;
    title = called;
    if (reading()) return; // the address is the opened rule's
    history.replaceState(null, "", base);
    document.title = title;
  };
  document.addEventListener("input", (event) => {
    if (page() !== "search" || event.target !== box()) return;
    clearTimeout(follow.later);
    follow.later = setTimeout(follow, 200); // browsers refuse many changes of the address in a row
  });

  // ---- copying and feedback
  const copied = async (button, text) => {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = document.createElement("textarea");
      area.value = text; area.setAttribute("aria-hidden", "true"); area.style.position = "fixed"; area.style.opacity = "0";
      document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); button.focus();
    }
    const label = button.dataset.label ??= button.textContent;
    button.textContent = "Copied";
    say("Copied.");
    setTimeout(() => { button.textContent = label; }, 1500);
  };
  const copy = async (button) => {
    const answer = button.closest("section.answer");
    const place = button.closest("article.place");
    const form = button.dataset.copy;
    const address = answer
      ? `/api/ask?form=${form}&question=${encodeURIComponent(answer.dataset.readAs || answer.dataset.question)}`
      : `/api/rule/${encodeURIComponent(place.dataset.number)}?form=${form}`;
    const reply = await fetch(address).catch(() => null);
    if (reply?.ok) await copied(button, await reply.text()); else say("That could not be copied.");
  };
  const feedback = async (form, helpful) => {
    const answer = form.closest("section.answer");
    const said = $(".said", form);
    if (form.dataset.sent) return;
    form.dataset.sent = "yes";
    const reply = await fetch("/api/feedback", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        question: answer.dataset.readAs || answer.dataset.question,
        helpful,
        shown: answer.dataset.rules ? answer.dataset.rules.split(" ") : [],
        number: form.elements.number.value,
      }),
    }).then(async (r) => ({ ok: r.ok, data: await r.json() })).catch(() => ({ ok: false, data: {} }));
    if (reply.ok) { form.classList.add("done"); said.textContent = "Thank you. It is kept on this computer."; }
    else { said.textContent = reply.data.error || "That could not be kept."; delete form.dataset.sent; }
  };

  // ---- clicks
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const button = event.target.closest("button");
    if (button?.matches(".theme")) return switchTheme();
    if (button?.matches("aside.reader .close")) return close(true);
    if (button?.dataset.copy) return void copy(button);
    const link = event.target.closest("a[href]");
    if (!link) return;
    follow();
    const address = link.getAttribute("href") || "";
    if (link.dataset.permalinkLink !== undefined) {
      event.preventDefault();
      return void copied(link, new URL(address, location.origin).href);
    }
    const url = new URL(address, location.origin);
    if (url.origin !== location.origin) return;
    if (target(url.pathname)) {
      if (!body()) return;
      event.preventDefault();
      if (link.closest("summary")) event.stopPropagation();
      open(url.pathname, true);
    } else if (page() === "ask" && url.pathname === "/" && url.searchParams.get("q")) {
      event.preventDefault();
      ask(url.searchParams.get("q"), true);
    }
  });
  document.addEventListener("pointerover", (event) => { // most clicks are announced by a hover: fetch then
    const link = event.target.closest?.("a.ref, a.term");
    const wanted = link && target(new URL(link.getAttribute("href"), location.origin).pathname);
    if (wanted && event.pointerType === "mouse") piece(wanted.address).catch(() => {});
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form.feedback")) return;
    event.preventDefault();
    feedback(event.target, event.submitter?.value !== "no");
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details[data-contents]") && event.target.open) fill(event.target);
  }, true);

  // ---- keys
  const cards = () => [...document.querySelectorAll("#main .card")].filter((card) => card.offsetParent !== null);
  const step = (by) => {
    const all = cards();
    const here = all.indexOf(document.activeElement?.closest?.(".card"));
    const next = all[here < 0 ? (by > 0 ? 0 : -1) : here + by];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); } else if (here === 0 && by < 0) box()?.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches?.("input:not([type=radio]), textarea, select");
    const card = event.target.matches?.(".card") ? event.target : null;
    if (event.key === "/" && !typing) { event.preventDefault(); (box() || $("details.contents summary"))?.focus(); }
    else if (event.key === "Escape") { if (reading()) close(true); else event.target.blur?.(); }
    else if (event.key === "Enter" && event.target.matches?.("form.feedback input")) { // else the browser would press Yes
      event.preventDefault();
      const form = event.target.form;
      feedback(form, form.closest("section.answer").dataset.rules.split(" ")[0] === event.target.value.trim().toLowerCase());
    }
    else if (event.key === "Enter" && card) { event.preventDefault(); $("a.ref, a.term", card)?.click(); }
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const field = typing && event.target === box();
      const last = field && !event.target.value.slice(event.target.selectionEnd).includes("\n");
      if ((field && event.key === "ArrowDown" && last && cards().length) || event.target.closest?.("#main .card")) {
        event.preventDefault();
        step(event.key === "ArrowDown" ? 1 : -1);
      }
    }
  });

  // ---- going back and forth
  addEventListener("popstate", (event) => {
    const wanted = target(location.pathname);
    const here = location.pathname + location.search;
    const query = new URLSearchParams(location.search).get("q") || "";
    if (wanted && (event.state?.opened || (wanted.kind === "rule") === Boolean(view()))) open(location.pathname, false);
    else if (page() === "search" && location.pathname === "/search") { write(query); follow(); close(false); }
    else if (page() === "ask" && location.pathname === "/" && query && here !== base) ask(query, true, true);
    else if (here === base || (location.pathname === base.split("?")[0] && page() !== "ask")) close(false);
    else location.reload();
  });

  // ---- the start: when Gradio has put the page together
  const started = () => {
    // Gradio puts the pieces in place one by one, in no certain order; its configuration names them all.
    const wanted = (window.gradio_config?.components || []).map((part) => part.props?.elem_id).filter(Boolean);
    if (!wanted.length || !wanted.every((id) => document.getElementById(id))) return false;
    if (page() === "ask" && !($("#answer section") && box())) return false;
    if (page() === "search" && !box()) return false;
    begun = true;
    title = titled(named());
    if (!deep) document.title = title;
    for (const place of [view(), $(".reader-body")]) if (place) place.start = place.innerHTML;
    const answer = $("#answer");
    if (answer) new MutationObserver(answered).observe(answer, { childList: true, subtree: true });
    if (deep) { history.replaceState({ opened: deep }, "", deep); open(deep, false); }
    const question = new URLSearchParams(location.search).get("q");
    if (page() === "ask" && question) ask(question, true, true);
    else if (page() === "search" && question) { write(question); follow(); }
    else if (page() === "ask" && innerWidth > 900 && !box().value) box().focus();
    if (page() === "ask") for (const one of kept(question)) ask(one);
    next();
    document.dispatchEvent(new Event("begun")); // for the page's own script
    return true;
  };
  const early = target(deep);
  if (early) piece(early.address).catch(() => {}); // ask for it while Gradio still loads
  // Shown when everything is there and two frames have brought nothing new; in any case after a while.
  let changed = 0;
  const show = () => { document.documentElement.dataset.ready = ""; };
  const settle = (seen, frames) => {
    if (frames === 2 && seen === changed) return show();
    requestAnimationFrame(() => settle(changed, seen === changed ? frames + 1 : 0));
  };
  setTimeout(show, 4000);
  const watch = new MutationObserver(() => {
    changed += 1;
    if (!begun && started()) { settle(changed, 0); setTimeout(() => watch.disconnect(), 1000); }
  });
  watch.observe(document.documentElement, { childList: true, subtree: true });
})();
