use pliant_draw::*;
use pliant_mesh::{shapes, embed};
fn h(b:&[u8])->u64{b.iter().fold(0xcbf29ce484222325u64,|h,x|(h^*x as u64).wrapping_mul(0x100000001b3))}
#[test] fn t(){
 let ball=shapes::ball(0.4,3); let (tied,_)=embed::attach(ball.clone(),&shapes::ball(0.4,6).boundary()).unwrap();
 let mut list=vec![("ball",ball.clone().into_data()),("tied",tied.into_data()),("bar",shapes::bar(pliant_linalg::Vec3::new(1.0,0.2,0.3),[6,3,3]).into_data()),("surf",ball.boundary().into_data())];
 for n in ["dino","cloth"] { list.push((n, shapes::find(n).unwrap().make(&Default::default(), &mut pliant_linalg::ignore_progress).unwrap())); }
 for (n,m) in &list { let o=Options{width:400,height:260,..Options::titled(*n)};
  let u:Vec<f64>=m.vertices.iter().enumerate().flat_map(|(i,p)|[0.1*p.y,0.2*p.x*p.x,0.01*(i as f64).sin()]).collect();
  println!("{n} {:x} {:x}",h(&mesh_picture(m,&o).to_png()),h(&deformed_picture(m,&Deformed{displacement:&u,times:1.0,label:"d".into()},&o).to_png())); }
}
