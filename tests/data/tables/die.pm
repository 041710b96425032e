// Knuth and Yao's die from a fair coin: 11/3 flips on average.
dtmc
module die
  s : [0..7] init 0;
  d : [0..6] init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 -> 0.5 : (s'=3) + 0.5 : (s'=4);
  [] s=2 -> 0.5 : (s'=5) + 0.5 : (s'=6);
  [] s=3 -> 0.5 : (s'=1) + 0.5 : (s'=7) & (d'=1);
  [] s=4 -> 0.5 : (s'=7) & (d'=2) + 0.5 : (s'=7) & (d'=3);
  [] s=5 -> 0.5 : (s'=7) & (d'=4) + 0.5 : (s'=7) & (d'=5);
  [] s=6 -> 0.5 : (s'=2) + 0.5 : (s'=7) & (d'=6);
  [] s=7 -> (s'=7);
endmodule
rewards "flips"
  [] s<7 : 1;
endrewards
rewards "dots"
  [] s=3 : 0.5;
  [] s=4 : 0.5*2 + 0.5*3;
  [] s=5 : 0.5*4 + 0.5*5;
  [] s=6 : 0.5*6;
endrewards
label "terminal" = s=7;
