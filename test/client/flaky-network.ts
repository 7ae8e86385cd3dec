/** A network between client and server that fails when a test says so. */
export interface FlakyNetwork {
  readonly fetch: typeof fetch;
  /** Requests made so far: method, path and key of each. */
  readonly requests: { readonly method: string; readonly url: string; readonly body: string | null }[];
  /** The next `count` requests arrive, and their answers are lost. */
  loseAnswers(count: number): void;
  /** The next `count` requests never arrive. */
  loseRequests(count: number): void;
  /** The next `count` answers break off after so many lines. */
  breakAfter(lines: number, count?: number): void;
  /** The next `count` requests are answered like this, by something in between. */
  answer(count: number, response: () => Response): void;
}

export const createFlakyNetwork = (): FlakyNetwork => {
  const plans: ((go: () => Promise<Response>) => Promise<Response>)[] = [];
  const requests: FlakyNetwork['requests'] = [];
  const lost = (): never => {
    throw new TypeError('fetch failed');
  };
  const plan = (count: number, one: (typeof plans)[number]): void => {
    for (let index = 0; index < count; index += 1) plans.push(one);
  };
  return {
    requests,
    fetch: async (input, init) => {
      const body = init?.body;
      requests.push({
        method: init?.method ?? 'GET',
        url: input instanceof Request ? input.url : input.toString(),
        body: typeof body === 'string' ? body : null,
      });
      const go = (): Promise<Response> => fetch(input, init);
      return (plans.shift() ?? (next => next()))(go);
    },
    loseAnswers: count =>
      plan(count, async go => {
        await (await go()).text();
        return lost();
      }),
    loseRequests: count => plan(count, async () => lost()),
    breakAfter: (lines, count = 1) => plan(count, async go => brokenAfter(await go(), lines)),
    answer: (count, response) => plan(count, async () => response()),
  };
};

const brokenAfter = (response: Response, lines: number): Response => {
  let left = lines;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const [index, byte] of chunk.entries()) {
        if (byte !== 0x0a) continue;
        left -= 1;
        if (left > 0) continue;
        // Half of the next line still arrives.
        controller.enqueue(chunk.subarray(0, index + 4));
        controller.error(new TypeError('terminated'));
        return;
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body!.pipeThrough(cut), { status: response.status, headers: response.headers });
};
