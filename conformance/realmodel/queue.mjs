// One job at a time, a bounded number waiting.

import { busy } from "./errors.mjs";

/** Queue runs jobs in the order in which they came. One that fails stops none behind it. */
export class Queue {
  #tail = Promise.resolve();
  #held = 0;

  constructor(waiting) { this.limit = waiting + 1; }

  /** held is how many jobs run or wait. */
  get held() { return this.#held; }

  /** run does work after all that came before it; it throws busy() if too many wait already. */
  run(work) {
    if (this.#held >= this.limit) throw busy();
    this.#held++;
    const done = this.#tail.then(work).finally(() => this.#held--);
    this.#tail = done.catch(() => {});
    return done;
  }
}
