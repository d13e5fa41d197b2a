// From a frame of another site, browsers send the frame's cookies neither with what a link downloads nor to another tab,
// and without them the server hands nothing out. They send them along where the frame itself goes to an address, and the
// header of a download leaves the page where it is.
const BUTTON = '[data-testid="stLinkButton"]';  // which opens a tab
const stay = (link) => {
  if (!link || link.protocol !== location.protocol || link.host !== location.host) return;  // what the page made is blob:
  if (!link.hasAttribute('download') && !link.closest(BUTTON)) return;
  link.removeAttribute('download');
  link.target = '_self';
};
const clicked = ({ target }) => stay(target.closest?.('a[href]'));
export default function() {
  document.addEventListener('click', clicked, true);  // one and the same function is added once
  HTMLAnchorElement.prototype.click = function() {  // Streamlit clicks a link that is nowhere in the document
    stay(this);
    HTMLElement.prototype.click.call(this);
  };
}
