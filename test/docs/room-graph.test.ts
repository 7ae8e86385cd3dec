import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withRoomGraph } from '../../scripts/room-graph.mjs';

test('the room graph in ARCHITECTURE.md is the one that architecture.mjs generates', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  expect(withRoomGraph(text), 'run: node scripts/room-graph.mjs --write').toBe(text);
});
