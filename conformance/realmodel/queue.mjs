// One job at a time, a bounded number waiting.

import { busy } from "./errors.mjs";

export class Queue {
  #tail = Promise.resolve();
  #held = 0;

  constructor(waiting) { this.limit = waiting + 1; }

  /** run does work after all that came before it; it throws busy() if too many wait already. */
  run(work) {
    if (this.#held >= this.limit) throw busy();
    this.#held++;
    const done = this.#tail.then(work).finally(() => this.#held--);
    this.#tail = done.catch(() => {});
    return done;
  }
}
