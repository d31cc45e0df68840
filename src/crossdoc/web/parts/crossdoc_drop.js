// A place to drop files on, or to choose them; sends them to the server and tells how far that is.
export default {
  template: `
    <div>
      <label class="x-drop" :class="{ 'x-over': over }" style="display: block; cursor: pointer"
        @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent="drop">
        <strong style="font-size: 1.15rem">{{ title }}</strong><br>
        <span class="x-soft">{{ hint }}</span><br>
        <input class="x-hidden-text" type="file" multiple :accept="accept" :aria-label="title" @change="choose" ref="input">
        <span class="x-button x-primary" style="margin-top: 1rem">Choose files</span>
      </label>
      <div v-if="share !== null" style="margin-top: .75rem" role="status">
        <div class="x-progress"><i :style="{ width: share + '%' }"></i></div>
        <span class="x-soft x-small">Sending {{ count }} {{ count === 1 ? "file" : "files" }}, {{ Math.round(share) }}% …</span>
      </div>
      <p v-for="(problem, at) in problems" :key="at" class="x-error" role="alert" style="margin: .75rem 0 0">{{ problem }}</p>
    </div>`,
  props: { title: String, hint: String, accept: String, address: String, mostFiles: Number, mostBytes: Number },
  data: () => ({ over: false, share: null, count: 0, problems: [] }),
  methods: {
    drop(event) {
      this.over = false;
      this.send([...event.dataTransfer.files]);
    },
    choose() {
      this.send([...this.$refs.input.files]);
      this.$refs.input.value = "";
    },
    send(files) {
      this.problems = [];
      const total = files.reduce((sum, file) => sum + file.size, 0);
      if (!files.length || this.share !== null) return;
      if (files.length > this.mostFiles || total > this.mostBytes) {
        this.problems = [`That is too much to send at once (${this.mostFiles} files, ${Math.round(this.mostBytes / 1e6)} MB). Add it with “crossdoc add”.`];
        return;
      }
      const body = new FormData();
      for (const file of files) body.append("files", file, file.name);
      const request = new XMLHttpRequest();
      this.count = files.length;
      this.share = 0;
      request.upload.addEventListener("progress", (event) => { this.share = (100 * event.loaded) / (event.total || 1); });
      request.addEventListener("loadend", () => {
        this.share = null;
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { answer = {}; }
        if (request.status !== 200 && !answer.problems) answer.problems = [answer.what || answer.detail || "The files could not be sent. Is the explorer still running?"];
        this.problems = answer.problems || [];
        if (answer.order) this.$emit("sent", answer.order);
      });
      request.open("POST", this.address);
      request.send(body);
    },
  },
};
