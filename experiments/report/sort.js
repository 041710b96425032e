document.querySelectorAll('table.sortable thead th').forEach(function (head) {
  head.tabIndex = 0;
  function sort() {
    var table = head.closest('table'), body = table.tBodies[0], column = head.cellIndex;
    var down = head.getAttribute('aria-sort') !== 'descending';
    table.querySelectorAll('thead th').forEach(function (other) { other.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    function key(row) {
      var text = row.cells[column].dataset.value, number = parseFloat(text);
      return text === '' ? null : isNaN(number) ? text : number;
    }
    Array.from(body.rows).sort(function (a, b) {
      var x = key(a), y = key(b);
      if (x === null || y === null) { return (x === null) - (y === null); }
      var order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
      return down ? -order : order;
    }).forEach(function (row) { body.appendChild(row); });
  }
  head.addEventListener('click', sort);
  head.addEventListener('keydown', function (event) { if (event.key === 'Enter') { sort(); } });
});
