// Browsers start no worker for a page that was opened from a disk. There the search runs in a
// hidden frame instead, which has a window of its own and so does not meet the page's names.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.window = new Promise((ready) => {
        this.frame.onload = () => this.run(`${url}`, ready);
      });
      document.body.append(this.frame);
    }

    run(url, ready) {
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => ready(inside);
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.window.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
