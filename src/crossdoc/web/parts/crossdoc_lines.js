// Identities as a table that can be sorted; in narrow windows as a list. All values are shown as text.
export default {
  template: `
    <table class="x-table x-lines" :aria-label="label">
      <thead>
        <tr>
          <th v-for="column in columns" :key="column.key" scope="col" :class="column.number ? 'x-number' : ''"
              :aria-sort="column.key === sort ? (descending ? 'descending' : 'ascending') : undefined">
            <button v-if="column.sorts && sort" type="button" class="x-sort" @click="$emit('sort', column.key)">
              {{ column.title }}<span aria-hidden="true">{{ column.key === sort ? (descending ? ' ↓' : ' ↑') : '' }}</span>
            </button>
            <template v-else>{{ column.title }}</template>
          </th>
        </tr>
      </thead>
      <tbody @keydown="walk">
        <tr v-for="row in rows" :key="row.id" @click="go($event, row)">
          <th scope="row">
            <a :href="row.href" class="x-name">{{ row.name }}</a>
            <span v-if="row.descriptor" class="x-descriptor">{{ row.descriptor }}</span>
            <span v-if="row.known" class="x-known" :title="'In the known list: ' + row.known">known</span>
            <q v-if="row.snippet" class="x-snippet">{{ row.snippet }}</q>
          </th>
          <td><span class="x-type" :class="row.kind">{{ row.type }}</span></td>
          <td class="x-number" data-word="documents">{{ row.documents }}</td>
          <td class="x-number" data-word="mentions">{{ row.mentions }}</td>
          <td class="x-number">{{ row.years }}</td>
          <td><span :class="row.sure" :title="row.certain">{{ row.word }}</span></td>
        </tr>
      </tbody>
    </table>`,
  props: { rows: Array, sort: String, descending: Boolean, label: String },
  emits: ["sort"],
  data() {
    return {
      columns: [
        { key: "name", title: "Name", sorts: true },
        { key: "type", title: "Type" },
        { key: "documents", title: "Documents", sorts: true, number: true },
        { key: "mentions", title: "Mentions", sorts: true, number: true },
        { key: "first", title: "Years", sorts: true, number: true },
        { key: "certainty", title: "How sure", sorts: true },
      ],
    };
  },
  methods: {
    go(event, row) {
      // The whole row leads on, but text in it can be selected and links keep what the browser does with them.
      if (event.target.closest("a, button") || getSelection().toString()) return;
      window.location.href = row.href;
    },
    walk(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const links = [...this.$el.querySelectorAll("tbody a")];
      const next = links.indexOf(document.activeElement) + step;
      if (next >= links.length) return;
      event.preventDefault();
      (next < 0 ? document.querySelector(".x-search") : links[next])?.focus();
    },
  },
};
