export { checkPreconditions, type ResourceState } from './check-preconditions.ts'
export { etag, type EtagOptions } from './etag.ts'
export type { RouteEtag } from './route-option.ts'
