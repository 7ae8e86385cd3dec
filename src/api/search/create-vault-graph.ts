import type { ProjectionView } from '#projections';
import { type DocumentGraph, type GraphEdge, type GraphNode, readGraph } from '#semantic';
import type { GraphOptions, GraphReply, GraphReplyEdge, GraphReplyNode } from './vault-search.ts';

const deepest = 3;
const defaultEdges = 200;

/**
 * Makes `vault.graph`: the documents around one document with their edges, both ways (§11.9); null when there is no document. An edge to a document that
 * may not be shown is absent; and so that this tells nothing, whoever may not read everything is shown no edge that leads nowhere, either.
 */
export const createVaultGraph =
  (projections: ProjectionView) =>
  async (path: string, options: GraphOptions = {}): Promise<GraphReply | null> => {
    await projections.level();
    return projections.read(db => walk(readGraph(db, options.mayRead), path, options));
  };

const walk = (graph: DocumentGraph, path: string, options: GraphOptions): GraphReply | null => {
  const center = graph.node(path);
  if (center === null) return null;
  const most = options.limit ?? defaultEdges;
  const nodes = new Map<string, GraphReplyNode>([[path, { ...center, distance: 0 }]]);
  const edges = new Map<string, GraphReplyEdge>();
  // The document that was asked for is known to the asker; what stands around it is not.
  const isShown = (node: GraphNode): boolean => node.path === path || options.private === true || node.portability === 'structural';
  const shownEdge = edgeFilter(graph, isShown, options.mayRead === undefined);
  let ring = [path];
  for (let distance = 1; distance <= Math.min(options.depth ?? 1, deepest); distance += 1) {
    const next: string[] = [];
    for (const edge of ring.flatMap(from => [...graph.edgesFrom(from), ...graph.edgesTo(from)])) {
      const shown = shownEdge(edge);
      if (shown === null) continue;
      const key = JSON.stringify([shown.from, shown.kind, shown.name, shown.target]);
      if (edges.has(key)) continue;
      if (edges.size >= most) return { path, nodes: [...nodes.values()], edges: [...edges.values()], more: true };
      edges.set(key, shown);
      for (const end of [shown.from, ...(shown.to === null ? shown.candidates : [shown.to])]) {
        const node = nodes.has(end) ? null : graph.node(end);
        if (node === null) continue;
        nodes.set(end, { ...node, distance });
        next.push(end);
      }
    }
    ring = next;
  }
  return { path, nodes: [...nodes.values()], edges: [...edges.values()], more: false };
};

const edgeFilter =
  (graph: DocumentGraph, isShown: (node: GraphNode) => boolean, unlimited: boolean) =>
  ({ source, resolution, kind, name, target }: GraphEdge): GraphReplyEdge | null => {
    const isShownPath = (path: string): boolean => {
      const node = graph.node(path);
      return node !== null && isShown(node);
    };
    if (!isShownPath(source)) return null;
    const edge = { from: source, to: null, kind, name, target, state: resolution.kind, candidates: [] };
    if (resolution.kind === 'resolved') return isShownPath(resolution.path) ? { ...edge, to: resolution.path } : null;
    if (resolution.kind === 'unresolved') return unlimited ? edge : null;
    const candidates = resolution.candidates.filter(isShownPath);
    return candidates.length === 0 ? null : { ...edge, candidates };
  };
