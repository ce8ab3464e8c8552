/** The frame around all pages: who looks, where we are, what is live. */
import { Component, h } from '../lib/preact.mjs';
import { onChanged } from './actions.js';
import { forgetToken, get, hasToken, onUnauthorized, useToken } from './api.js';
import { undecided } from './dead.js';
import { wantFocus } from './focus.js';
import { listenToKeys } from './keys.js';
import { listOf } from './list.js';
import { listen } from './live.js';
import { nextTheme, theme } from './theme.js';
import { onToasts, undoLatest } from './toasts.js';
import { go, href, onRoute, route } from './router.js';
import { Help } from './parts/help.js';
import { Frame } from './parts/frame.js';
import { Boundary, Failure, Skeleton } from './parts/states.js';
import { ToastList } from './parts/toast-list.js';
import { TokenForm } from './parts/token-form.js';
import { AuditPage } from './pages/audit.js';
import { BlockedPage } from './pages/blocked.js';
import { DeadPage } from './pages/dead.js';
import { EventPage } from './pages/event.js';
import { EventsPage } from './pages/events.js';
import { OverviewPage } from './pages/overview.js';
import { TypesPage } from './pages/types.js';
import { UnknownPage } from './pages/unknown.js';

const PAGES = new Map([
  ['overview', OverviewPage],
  ['events', EventsPage],
  ['dead', DeadPage],
  ['blocked', BlockedPage],
  ['types', TypesPage],
  ['audit', AuditPage],
]);

/** What is dear to find out is looked for at every fifth update only. */
const SLOW = 5;

export class App extends Component {
  state = {
    route: route(),
    session: null,
    error: null,
    isTokenWanted: false,
    live: null,
    updatedAt: 0,
    mode: 'connecting',
    tick: 0,
    changes: 0,
    toasts: [],
    theme: theme(),
    isHelpOpen: false,
  };

  componentDidMount() {
    onUnauthorized(() => this.askForToken());
    onToasts((toasts) => this.setState({ toasts }));
    onChanged(() => this.look());
    onRoute(() => this.follow(route()));
    listenToKeys({
      '?': () => this.setState({ isHelpOpen: true }),
      '/': () => this.focusSearch(),
      r: () => this.look(),
      t: () => this.switchTheme(),
    }, undoLatest);
    this.begin();
  }

  /** Goes to another page, or to other data on the same. */
  follow(next) {
    if (next.page !== this.state.route.page || next.id !== this.state.route.id) {
      wantFocus();
      scrollTo(0, 0);
    }
    this.setState({ route: next });
  }

  /** Asks who we are, and goes live. */
  begin = async () => {
    this.setState({ error: null, isTokenWanted: false });
    try {
      const session = await get('session');
      this.setState({ session });
      this.stopLive?.();
      this.stopLive = listen(
        (live) => this.setState((before) => ({ live, updatedAt: Date.now(), tick: before.tick + (before.live ? 1 : 0) })),
        (mode) => this.setState({ mode }),
      );
    } catch (error) {
      this.setState({ error });
    }
  };

  /** Looks again for whatever the page shows. */
  look() {
    this.setState(({ tick, changes }) => ({ tick: tick + 1, changes: changes + 1 }));
  }

  askForToken() {
    this.stopLive?.();
    this.setState({ isTokenWanted: true, wasRefused: hasToken(), session: null });
  }

  signIn = (token) => {
    useToken(token);
    this.begin();
  };

  signOut = () => {
    forgetToken();
    this.askForToken();
  };

  focusSearch() {
    const box = document.getElementById('search');
    if (box === null) {
      go(href('events'));
      setTimeout(() => document.getElementById('search')?.focus());
    } else {
      box.focus();
    }
  }

  switchTheme = () => this.setState({ theme: nextTheme() });

  render(_, state) {
    return h(
      'div',
      { class: 'app' },
      h(
        Frame,
        {
          page: state.route.id === undefined ? state.route.page : (listOf(state.route.id)?.page ?? state.route.page),
          session: state.session,
          mode: state.mode,
          updatedAt: state.updatedAt,
          nodes: state.live?.overview.nodes,
          dead: state.live ? undecided(state.live.overview) : { count: 0, exact: true },
          theme: state.theme,
          onTheme: this.switchTheme,
          onHelp: () => this.setState({ isHelpOpen: true }),
          onSignOut: hasToken() ? this.signOut : null,
        },
        h(Boundary, { key: location.hash }, this.content(state)),
      ),
      state.isHelpOpen && h(Help, { onClose: () => this.setState({ isHelpOpen: false }) }),
      h(ToastList, { toasts: state.toasts }),
    );
  }

  content({ isTokenWanted, wasRefused, error, session, route, live, tick, changes }) {
    if (isTokenWanted) {
      return h(TokenForm, { wasRefused, onToken: this.signIn });
    }
    if (error) {
      return h(Failure, { error, isPage: true, retry: this.begin });
    }
    if (!session) {
      return h(Skeleton);
    }
    const canOperate = session.role === 'OPERATE';
    const slowTick = `${Math.floor(tick / SLOW)} ${changes}`;
    const common = { query: route.query, session, canOperate, live, tick, slowTick, changes };
    if (route.page === 'events' && route.id !== undefined) {
      return h(EventPage, { ...common, id: route.id, key: route.id });
    }
    return h(PAGES.get(route.page) ?? UnknownPage, { ...common, key: route.page });
  }
}
