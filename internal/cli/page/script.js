'use strict';
// Lets a reader choose a step, and tells what is under the pointer. All text goes into the page as text.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const tip = document.getElementById('tip');
  const svgNamespace = 'http://www.w3.org/2000/svg';

  // grouped writes a number as the tables do.
  const grouped = (x) => {
    const [whole, rest] = String(Math.round(x * 100) / 100).split('.');
    const head = whole.length < 5 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
    return rest ? head + '.' + rest : head;
  };
  const plural = (n, noun) => grouped(n) + ' ' + noun + (n === 1 ? '' : 's');

  // at returns the run of three numbers that a column is in.
  const at = (runs, column) => {
    let i = 0;
    for (let end = runs[2]; end <= column; end += runs[i + 2]) i += 3;
    return runs.slice(i, i + 2);
  };

  const loadText = ([partitions, load]) => {
    if (partitions < 0) return 'not there';
    const text = plural(partitions, 'partition');
    if (load < 0) return text + ', draining';
    return load === partitions * 1000 ? text : text + ', load ' + grouped(load / 1000);
  };

  class Case {
    constructor(section, known) {
      this.known = known;
      this.columns = Number(section.dataset.columns);
      this.chooser = section.querySelector('.chooser');
      this.live = section.querySelector('[aria-live]');
      this.cards = [...section.querySelectorAll('.card')].map((card) => new Card(card, this, known.series[Number(card.dataset.series)]));
      this.step = this.columns - 1;
      if (this.columns > 1) this.listen();
      this.choose(this.step, false);
    }

    listen() {
      this.range = this.chooser.querySelector('input');
      this.range.max = this.columns - 1;
      this.range.addEventListener('input', () => this.choose(Number(this.range.value), true));
      this.chooser.querySelector('.back').addEventListener('click', () => this.choose(this.step - 1, true));
      this.chooser.querySelector('.on').addEventListener('click', () => this.choose(this.step + 1, true));
      this.chooser.hidden = false;
    }

    choose(step, tell) {
      this.step = Math.max(0, Math.min(this.columns - 1, step));
      const { name, event } = this.known.steps[this.step];
      const title = name[0].toUpperCase() + name.slice(1) + ' of ' + this.known.last + ': ' + event;
      this.chooser.querySelector('output').textContent = title;
      if (this.range) {
        this.range.value = this.step;
        this.range.setAttribute('aria-valuetext', title);
      }
      const said = this.cards.map((card) => card.choose(this.step));
      if (tell) this.live.textContent = title + '. ' + said.join('; ') + '.';
    }
  }

  class Card {
    constructor(card, owner, known) {
      this.owner = owner;
      this.known = known;
      this.name = card.querySelector('h3').textContent;
      this.rows = card.querySelector('.steps tbody').rows;
      this.readouts = [...card.querySelectorAll('[data-column]')];
      this.holders = card.querySelector('.holders');
      this.plots = [...card.querySelectorAll('.plot')].map((plot) => new Plot(plot, this));
      if (this.holders) {
        this.holders.hidden = false;
        this.holders.addEventListener('toggle', () => this.list());
      }
    }

    // choose shows a step and returns what there is to say about it.
    choose(step) {
      if (this.chosen) this.chosen.classList.remove('chosen');
      this.chosen = this.rows[step];
      this.chosen.classList.add('chosen');
      const said = this.readouts.map((dd) => {
        dd.textContent = this.chosen.cells[Number(dd.dataset.column)].textContent;
        return dd.previousElementSibling.textContent.toLowerCase() + ' ' + dd.textContent;
      });
      for (const plot of this.plots) plot.mark(step);
      this.list();
      return this.name + ': ' + said.join(', ');
    }

    // list fills the table of members, if somebody looks at it.
    list() {
      if (!this.holders || !this.holders.open) return;
      const step = this.owner.step;
      const whole = this.known.rows && !this.known.sizes && this.owner.known.members.length === this.owner.known.owners.length;
      const lists = new Map();
      if (whole) {
        this.known.rows.forEach((name, row) => {
          const [owner] = at(this.known.owners[row], step);
          lists.set(owner, [...(lists.get(owner) || []), name]);
        });
      }
      const body = this.holders.querySelector('tbody');
      body.textContent = '';
      this.owner.known.members.forEach((name, row) => {
        const [partitions, load] = at(this.known.loads[row], step);
        if (partitions < 0) return;
        const tr = body.insertRow();
        const th = document.createElement('th');
        th.scope = 'row';
        th.textContent = name;
        tr.append(th);
        tr.insertCell().textContent = grouped(partitions);
        tr.insertCell().textContent = load < 0 ? 'draining' : grouped(load / 1000);
        tr.cells[1].className = tr.cells[2].className = 'n';
        tr.insertCell().textContent = whole ? (lists.get(row) || []).join(', ') : '–';
      });
    }
  }

  class Plot {
    constructor(element, card) {
      this.element = element;
      this.card = card;
      this.kind = element.dataset.kind;
      this.rows = Number(element.dataset.rows);
      this.row = 0;
      this.svg = element.querySelector('svg');
      this.box = document.createElementNS(svgNamespace, 'rect');
      this.box.setAttribute('class', 'mark');
      this.box.setAttribute('width', 1);
      this.box.setAttribute('height', this.svg.viewBox.baseVal.height);
      this.svg.append(this.box);
      element.tabIndex = 0;
      element.setAttribute('role', 'group');
      element.setAttribute('aria-label', this.svg.getAttribute('aria-label').split('.')[0] + ', ' + card.name + '. Arrow keys choose a step' + (this.rows > 1 ? ' and a row.' : '.'));
      element.addEventListener('pointermove', (e) => this.hover(e));
      element.addEventListener('pointerleave', () => { tip.hidden = true; });
      element.addEventListener('blur', () => { tip.hidden = true; });
      element.addEventListener('click', (e) => card.owner.choose(this.find(e).column, true));
      element.addEventListener('keydown', (e) => this.key(e));
    }

    mark(step) { this.box.setAttribute('x', step); }

    find(e) {
      const r = this.element.getBoundingClientRect();
      const part = (at, size, n) => Math.max(0, Math.min(n - 1, Math.floor(at / size * n)));
      return { column: part(e.clientX - r.left, r.width, this.card.owner.columns), row: part(e.clientY - r.top, r.height, this.rows) };
    }

    hover(e) {
      const { column, row } = this.find(e);
      this.show(this.tell(column, row), e.clientX, e.clientY);
    }

    key(e) {
      const owner = this.card.owner;
      const steps = { ArrowLeft: owner.step - 1, ArrowRight: owner.step + 1, Home: 0, End: owner.columns - 1 };
      const rows = { ArrowUp: this.row - 1, ArrowDown: this.row + 1, PageUp: this.row - 10, PageDown: this.row + 10 };
      if (e.key === 'Escape') { tip.hidden = true; return; }
      if (e.altKey || e.ctrlKey || e.metaKey || !(e.key in steps || e.key in rows && this.rows > 1)) return;
      e.preventDefault();
      if (e.key in steps) owner.choose(steps[e.key], true);
      else this.row = Math.max(0, Math.min(this.rows - 1, rows[e.key]));
      const r = this.element.getBoundingClientRect();
      const text = this.tell(owner.step, this.row);
      this.show(text, r.left + (owner.step + 1) / owner.columns * r.width, r.top + (this.row + 1) / this.rows * r.height);
      if (this.rows > 1) owner.live.textContent = text;
    }

    // tell says what a place of the picture stands for.
    tell(column, row) {
      const { known, owner, rows } = this.card;
      const { name, event } = owner.known.steps[column];
      const head = name + ': ' + event + '\n';
      if (this.kind === 'members') return owner.known.members[row] + ': ' + loadText(at(known.loads[row], column)) + '\n' + head;
      if (this.kind === 'partitions') {
        const [member, n] = at(known.owners[row], column);
        const who = member >= 0 ? owner.known.owners[member] : member === -1 ? 'nobody' : 'not there, or not read';
        const share = known.sizes && member > -2 ? ' (' + grouped(n) + ' of ' + grouped(known.sizes[row]) + ')' : '';
        return known.rows[row] + ': ' + who + share + '\n' + head;
      }
      const cells = rows[column].cells;
      const titles = this.svg.closest('.card').querySelector('.steps thead tr').cells;
      const wanted = this.kind === 'moves' ? ['Moves', 'Voluntary', 'Minimum', 'Forced', 'Placed'] : ['Skew', 'Optimum', 'Max', 'Min', 'Regret'];
      return head + [...titles].map((th, i) => [th.textContent, cells[i].textContent]).filter(([t]) => wanted.includes(t))
        .map(([t, text]) => t.toLowerCase() + ' ' + text).join(', ');
    }

    show(text, x, y) {
      tip.textContent = text;
      tip.hidden = false;
      const size = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, x + 14 + size.width > innerWidth ? x - size.width - 14 : x + 14) + 'px';
      tip.style.top = Math.max(4, y + 14 + size.height > innerHeight ? y - size.height - 14 : y + 14) + 'px';
    }
  }

  data.cases.forEach((known, i) => {
    if (known.steps) new Case(document.getElementById('case-' + i), known);
  });
})();
