/** What is asked of a store after `close`. Nothing may be opened anew then, and a descriptor that was closed may be another file's by now. */
export const closedStore = (): Error => new Error('This store is closed.');
