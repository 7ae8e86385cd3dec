import { rooms, roomsWithFiles } from './architecture.mjs';

const inRoom = room => (room.endsWith('.ts') ? `^src/${room}$` : `^src/${room}/`);
const nested = room =>
  Object.keys(rooms)
    .filter(other => other.startsWith(`${room}/`))
    .map(inRoom);

const mayOnlyImport = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports`,
  severity: 'error',
  comment: `${room} may import only: ${allowed.join(', ') || 'nothing'} (see architecture.mjs)`,
  from: { path: inRoom(room), pathNot: [...nested(room), '\\.test\\.ts$'] },
  to: { path: '^src/', pathNot: [inRoom(room), ...allowed.map(inRoom)] },
}));

// Allowing `adapter-contracts` must not silently allow the nested `adapter-contracts/testing`.
const nestedNeedsItsOwnArrow = Object.entries(rooms).map(([room, allowed]) => {
  const closed = Object.keys(rooms).filter(other => other.includes('/') && other !== room && !allowed.includes(other));
  return {
    name: `${room}-nested`,
    severity: 'error',
    comment: `${room} names a nested room it has no arrow to (see architecture.mjs)`,
    from: { path: inRoom(room), pathNot: [...nested(room), '\\.test\\.ts$'] },
    // A room inside a closed one is not closed to itself.
    to: { path: closed.map(inRoom), pathNot: [inRoom(room), ...allowed.map(inRoom)] },
  };
});

const throughTheFrontDoor = Object.keys(rooms)
  .filter(room => !room.endsWith('.ts'))
  .map(room => ({
    name: `${room}-front-door`,
    severity: 'error',
    comment: `Import ${room} through its index.ts.`,
    from: { path: '^src/', pathNot: [inRoom(room)] },
    to: { path: inRoom(room), pathNot: [`^src/${room}/index\\.ts$`, ...nested(room)] },
  }));

export default {
  forbidden: [
    ...mayOnlyImport,
    ...nestedNeedsItsOwnArrow,
    ...throughTheFrontDoor,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'fs-only-at-the-edge',
      severity: 'error',
      comment: 'Only the rooms in roomsWithFiles may touch the disk.',
      from: { path: '^src/', pathNot: [...roomsWithFiles.map(inRoom), '\\.test\\.ts$'] },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['sheaf-source', 'import', 'node'] },
  },
};
