// Identities as dots, with lines between those that stand together. A dot is a link. All labels are text.
export default {
  template: `
    <svg class="x-graph" :viewBox="'0 0 ' + width + ' ' + height" role="group" :aria-label="label"
         :style="{ aspectRatio: width + ' / ' + height }">
      <line v-for="(edge, at) in edges" :key="'e' + at" :x1="nodes[edge[0]].x" :y1="nodes[edge[0]].y" :x2="nodes[edge[1]].x"
            :y2="nodes[edge[1]].y" :stroke-width="edge[2]" :class="{ 'x-lit': lit === edge[0] || lit === edge[1] }"
            :style="{ opacity: lit === null || lit === edge[0] || lit === edge[1] ? 1 : .15 }"><title v-if="edge[3]">{{ edge[3] }}</title></line>
      <a v-for="(node, at) in nodes" :key="node.id" :href="node.href" :class="[node.kind, 'x-node', { 'x-centre': node.centre }]"
         :aria-label="node.title" :style="{ opacity: near(at) ? 1 : .2 }"
         @mouseenter="lit = at" @mouseleave="lit = null" @focus="lit = at" @blur="lit = null">
        <title>{{ node.title }}</title>
        <circle :cx="node.x" :cy="node.y" :r="node.r" />
      </a>
      <template v-for="(node, at) in nodes" :key="'t' + node.id">
        <text v-if="!node.minor || (lit !== null && near(at))" :x="node.x" :y="node.y + (node.below ? node.r + 14 : -node.r - 6)"
              :class="{ 'x-centre': node.centre || at === lit }" :style="{ opacity: near(at) ? 1 : .12 }" text-anchor="middle"
              aria-hidden="true">{{ node.label }}</text>
      </template>
    </svg>`,
  props: { nodes: Array, edges: Array, width: Number, height: Number, label: String },
  data: () => ({ lit: null }),
  computed: {
    beside() {
      const sets = this.nodes.map((_, at) => new Set([at]));
      for (const [a, b] of this.edges) {
        sets[a].add(b);
        sets[b].add(a);
      }
      return sets;
    },
  },
  methods: {
    near(at) {
      return this.lit === null || !this.beside[this.lit] || this.beside[this.lit].has(at);
    },
  },
};
