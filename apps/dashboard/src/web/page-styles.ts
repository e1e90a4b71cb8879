// The styles of every page but the log, which needs none of them at first. All come at once, so that their order does
// not depend on which page is opened first.
import './styles/request.css';
import './styles/bulk.css';
import './styles/pages.css';
import './styles/users.css';
import './styles/editor.css';
import './styles/previews.css';
import './styles/sandbox.css';
import './styles/versions.css';
import './styles/pages-narrow.css';
