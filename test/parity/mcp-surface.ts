import type { CallName, calls } from '#api';
import { callTool, connectAs } from '../mcp/mcp-client.ts';
import type { Who } from './step.ts';
import type { ParityVault, Surface } from './surface.ts';

/** The tool that renders each call; what agents are not offered has none. */
const toolOf: Readonly<Partial<Record<CallName, string>>> = {
  'envelope.submit': 'submit_envelope',
  'document.read': 'read_document',
  'document.list': 'list_documents',
  'search.query': 'search',
  'graph.query': 'graph',
  'event.list': 'history',
  'document.move': 'move_document',
  'memory.check': 'check_memory',
  'memory.resolve': 'resolve_conflict',
  'feedback.give': 'record_feedback',
  'history.diff': 'diff_document',
  'history.blame': 'blame_document',
  'history.undo': 'undo_event',
  'task.list': 'list_tasks',
  'task.claim': 'claim_task',
  'task.step': 'append_run_step',
  'task.finish': 'finish_task',
  'lease.acquire': 'acquire_lease',
  'lease.renew': 'renew_lease',
  'lease.release': 'release_lease',
};

/** An agent's tools, called by a real MCP client. */
export const mcpSurface = async ({ vault, principalOf }: ParityVault, names: readonly CallName[]): Promise<Surface> => {
  const clients = new Map<Who, Awaited<ReturnType<typeof connectAs>>>();
  for (const who of ['person', 'clerk', 'nobody'] as const) clients.set(who, await connectAs(vault, await principalOf(who)));
  return {
    name: 'mcp',
    missing: names.filter(name => toolOf[name] === undefined),
    ask: async (call, input, who) => {
      const client = clients.get(who);
      const tool = toolOf[call];
      if (client === undefined || tool === undefined) throw new Error(`nobody calls ${call}`);
      const { q: query, ...rest } = input;
      const reply = await callTool(client, tool, query === undefined ? input : { query, ...rest });
      if (call === 'envelope.submit' && reply.stored !== '') return { output: reply.json() };
      if (reply.refused) return { refused: String(reply.said.refused) };
      if (call === 'document.read') {
        const { kind, type, hash } = reply.said;
        return { output: { path: input.path, kind, type: type === 'none' ? null : type, hash, content: reply.stored } };
      }
      if (call === 'document.list') return { output: { documents: reply.json(), cursor: null } };
      if (call === 'task.list') return { output: { tasks: reply.json(), cursor: null } };
      if (call === 'event.list') return { output: { events: reply.json() } };
      if (call === 'history.diff') return { output: { diff: reply.stored } };
      if (call === 'search.query') return { output: { hits: (reply.json() as unknown as Answer<'search.query'>['hits']).map(shownHit) } };
      if (call === 'graph.query') return { output: { edges: reply.json() } };
      return { output: reply.json() };
    },
    shown: (call, outcome) => {
      if ('refused' in outcome) return outcome;
      if (call === 'history.diff') return { output: { diff: (outcome.output as Answer<'history.diff'>).diff } };
      if (call === 'history.blame') return { output: shownBlame(outcome.output as Answer<'history.blame'>) };
      if (call === 'search.query') return { output: { hits: (outcome.output as Answer<'search.query'>).hits.map(shownHit) } };
      if (call === 'graph.query') return { output: { edges: shownEdges(outcome.output as Answer<'graph.query'>) } };
      if (call !== 'event.list') return outcome;
      return { output: { events: (outcome.output as { readonly events: readonly EventRecord[] }).events.map(shownEvent) } };
    },
  };
};

type Answer<N extends CallName> = Awaited<ReturnType<(typeof calls)[N]['handler']>>;

/**
 * A hit without how well it fits: that depends on every document of the vault, and the vault of this surface lacks those that were made by calls which
 * agents are not offered.
 */
const shownHit = (hit: Answer<'search.query'>['hits'][number]) =>
  Object.fromEntries(Object.entries(hit).filter(([name]) => name !== 'score' && name !== 'evidence'));

/** Edges as a model gets them: with what the document is that each leads to. */
const shownEdges = ({ nodes, edges }: Answer<'graph.query'>) =>
  edges.map(edge => {
    const to = nodes.find(node => node.path === edge.to);
    return to === undefined ? edge : { ...edge, to_title: to.title, to_type: to.type };
  });

const shownBlame = ({ fields, body, events }: Answer<'history.blame'>) => ({ rows: [...fields, ...body], events });

interface EventRecord extends Readonly<Record<string, unknown>> {
  readonly principal: { readonly id: string; readonly kind: string };
}

/** An event as a model gets it: who acted is named, and what they might have done is not. */
const shownEvent = ({ principal: { id, kind }, ...event }: EventRecord) => {
  const members = Object.entries(event).filter(([name]) => name !== 'schema_version');
  return { ...Object.fromEntries(members), principal: { id, kind } };
};
