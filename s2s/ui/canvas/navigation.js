// Streamlit leaves its sidebar open after a page was chosen, and on a phone the sidebar covers the page.
const PHONE = 640;  // pixels
const closeMenu = (page) => {
  const before = document.body.dataset.shownPage;
  document.body.dataset.shownPage = page;
  if (before === undefined || before === page || window.innerWidth > PHONE) return;
  document.querySelector('[data-testid="stSidebarCollapseButton"] button[aria-expanded="true"]')?.click();
};
// Tab enters a group of buttons at the first one; a keyboard's user expects the selected one.
const enterAtSelected = ({ target, relatedTarget }) => {
  const group = target.closest?.('[role="radiogroup"]');
  if (!group || group.contains(relatedTarget) || !target.matches(':focus-visible')) return;
  group.querySelector('[role="radio"][aria-checked="true"]')?.focus();
};
export default function({ data }) {
  closeMenu(data.page);
  document.addEventListener('focusin', enterAtSelected);  // one and the same function is added once
}
