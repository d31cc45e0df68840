// A text whose mentions stand out and lead to the identities that they are of. All of it is shown as text.
export default {
  template: `
    <component :is="inline ? 'span' : 'div'" :class="inline ? 'x-snippet' : 'x-text'"
      ><template v-for="(piece, at) in pieces" :key="at"
        ><a v-if="piece.href" :href="piece.href" :class="piece.class" :title="piece.title" :id="piece.id">{{ piece.text }}</a
        ><mark v-else-if="piece.class" :class="piece.class" :title="piece.title" :id="piece.id">{{ piece.text }}</mark
        ><template v-else>{{ piece.text }}</template
      ></template
    ></component>`,
  props: { pieces: Array, inline: Boolean },
};
