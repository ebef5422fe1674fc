import { currentActor, isEnough } from '../../base/actor.ts';
import { followQuery, readFollow } from '../../control/events/follow.ts';
import { endWhenRefused, openStream } from '../events/stream.ts';
import { type Route, raw, routesOf } from '../route.ts';

const { get } = routesOf('events');

/** Events, as they happen. */
export const eventRoutes: Route[] = [
  get('/api/events', 'followEvents', {
    role: 'read',
    summary: 'Follows what happens, as server-sent events.',
    more: 'The answer stays open. `id:` and `event:` carry the id and the type of an event, `data:` an Event as JSON. With `Last-Event-ID` it continues after that event, without a gap; without it, it begins with the next event, and the answer’s header `Last-Event-ID` is the place before it: with it, a connection that was lost before the first event continues without a gap. A comment every 15 seconds shows that the connection lives. A reader who is too slow is cut off, and can continue in the same way. An id that is no longer kept is 410 `event-gone`.',
    query: followQuery,
    answers: {
      200: raw(
        'text/event-stream',
        'id: evt_019aab5c1e2f00000000002a\nevent: recipient.done\ndata: {"id":"evt_019aab5c1e2f00000000002a","type":"recipient.done","at":"2026-11-22T14:03:11.215Z","data":{"id":"7","campaign":"spring","state":"done","outcome":"answered"}}\n\n',
      ),
    },
    errors: ['campaign-unknown', 'event-gone', 'too-many-readers', 'stopping'],
    async handle({ query, request, reply }, { app, feed }) {
      const last = request.headers['last-event-id'];
      const { from, ...wish } = await readFollow(app.ledger, query, Array.isArray(last) ? last[0] : last);
      reply.header('last-event-id', from);
      const { name, token, role } = currentActor();
      const who = token ?? name;
      feed.makeRoom(who);
      const stream = openStream(reply);
      endWhenRefused(stream, request.isStill);
      feed.follow(stream, { ...wish, who, seesPeople: isEnough(role, 'read_people') });
      return reply;
    },
  }),
];
